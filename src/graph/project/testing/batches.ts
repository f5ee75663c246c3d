import { HubEventType, MessageType } from '@farcaster/core'
import fc from 'fast-check'
import type { HubEventBody } from '../../../hub/log/hub-event.js'
import { slotOf } from '../../../hub/merge/decide.js'
import { slotName } from '../../../hub/merge/standing.js'
import type { Database } from '../../../platform/db/connection.js'
import type { SignedMessage } from '../../../protocol/message.js'

/** What happens to one of the messages of a pool: it comes, or ends in this way where it stands. */
export interface Step {
  readonly place: number
  readonly end: 'prune' | 'revoke' | 'displace'
}

/** Batches of steps: few messages, so that the same ones come and go again and again. */
export const batchesOfSteps: fc.Arbitrary<Step[][]> = fc.array(
  fc.array(
    fc.record({
      place: fc.nat(99),
      end: fc.constantFrom('prune', 'revoke', 'displace'),
    }),
    { minLength: 1, maxLength: 12 },
  ),
  { minLength: 1, maxLength: 5 },
)

/** What stands in a hub of which only the slots are left: whatever comes last has its slot. */
export class Slots {
  readonly #standing = new Map<string, SignedMessage>()

  standing(): SignedMessage[] {
    return [...this.#standing.values()]
  }

  /** What is told when all that stands came once more. */
  again(): HubEventBody[] {
    return this.standing().map((message) => merge(message))
  }

  /** What is told of a step with one of the messages: nothing where a compact state keeps it out. */
  take({ place, end }: Step, pool: readonly SignedMessage[]): HubEventBody[] {
    const message = pool[place % pool.length]!
    const slot = slotName(slotOf(message)!)
    const holder = this.#standing.get(slot)
    if (holder?.hash.equals(message.hash)) return [this.#end(slot, holder, end)]
    if (this.standing().some((compact) => isCompacted(message, compact))) return []
    const displaced = [
      ...(holder ? [[slot, holder] as const] : []),
      ...[...this.#standing].filter(([, link]) => isCompacted(link, message)),
    ]
    for (const [name] of displaced) this.#standing.delete(name)
    this.#standing.set(slot, message)
    return [merge(message, ...displaced.map(([, other]) => other))]
  }

  #end(slot: string, holder: SignedMessage, end: Step['end']): HubEventBody {
    this.#standing.delete(slot)
    if (end === 'prune') return { type: HubEventType.PRUNE_MESSAGE, message: holder }
    if (end === 'revoke') return { type: HubEventType.REVOKE_MESSAGE, message: holder }
    return merge({ ...holder, data: { ...holder.data, type: MessageType.NONE } }, holder)
  }
}

function merge(message: SignedMessage, ...deletedMessages: SignedMessage[]): HubEventBody {
  return { type: HubEventType.MERGE_MESSAGE, message, deletedMessages }
}

/** The protocol's rule (docs/protocol.md §4.3), for links that are added. */
function isCompacted({ data: link }: SignedMessage, { data: compact }: SignedMessage): boolean {
  const state = compact.linkCompactStateBody
  return (
    state !== undefined &&
    link.type === MessageType.LINK_ADD &&
    link.fid === compact.fid &&
    link.linkBody!.type === state.type &&
    link.timestamp <= compact.timestamp &&
    !state.targetFids.includes(link.linkBody!.targetFid!)
  )
}

/** A row as a line of text: bytes in hex, and columns in the order of their names. */
export function lineOf(row: object): string {
  const columns = Object.entries(row).map(([name, value]): [string, unknown] => [
    name,
    value instanceof Uint8Array ? `\\x${Buffer.from(value).toString('hex')}` : value,
  ])
  return JSON.stringify(columns.sort(([a], [b]) => (a < b ? -1 : 1)))
}

/** What tables of the read model hold, as sorted lines; words of casts, which the database makes, are left out. */
export async function linesOf(
  db: Database,
  tables: readonly string[],
): Promise<Record<string, readonly string[]>> {
  const parts = tables.map(
    (name) => `select '${name}' as name, to_jsonb(t) - 'words' as row from social.${name} t`,
  )
  const rows = await db.unsafe<{ name: string; row: object }[]>(parts.join(' union all '))
  return Object.fromEntries(
    tables.map((table) => [
      table,
      rows
        .filter(({ name }) => name === table)
        .map(({ row }) => lineOf(row))
        .sort(),
    ]),
  )
}
