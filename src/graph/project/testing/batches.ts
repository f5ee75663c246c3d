import { HubEventType, MessageType } from '@farcaster/core'
import fc from 'fast-check'
import type { HubEventBody } from '../../../hub/log/hub-event.js'
import { conflictKeyOf } from '../../../hub/merge/merge-message.js'
import { conflictKeyId } from '../../../hub/merge/stored-message.js'
import type { Database } from '../../../platform/db/connection.js'
import type { SignedMessage } from '../../../protocol/message.js'

/** What happens to one of the messages of a pool: it comes, or ends in this way where it stands. */
export interface Step {
  readonly messageIndex: number
  readonly removal: 'prune' | 'revoke' | 'displace'
}

/** Batches of steps: few messages, so that the same ones come and go again and again. */
export const batchesOfSteps: fc.Arbitrary<Step[][]> = fc.array(
  fc.array(
    fc.record({
      messageIndex: fc.nat(99),
      removal: fc.constantFrom('prune', 'revoke', 'displace'),
    }),
    { minLength: 1, maxLength: 12 },
  ),
  { minLength: 1, maxLength: 5 },
)

/** What stands in a hub of which only the slots are left: whatever comes last has its slot. */
export class StoredMessages {
  readonly #messages = new Map<string, SignedMessage>()

  messages(): SignedMessage[] {
    return [...this.#messages.values()]
  }

  /** What is told when all that stands came once more. */
  mergeAllAgain(): HubEventBody[] {
    return this.messages().map((message) => mergeEvent(message))
  }

  /** What is told of a step with one of the messages: nothing where a compact state keeps it out. */
  apply({ messageIndex, removal }: Step, pool: readonly SignedMessage[]): HubEventBody[] {
    const message = pool[messageIndex % pool.length]!
    const conflictKey = conflictKeyId(conflictKeyOf(message)!)
    const storedMessage = this.#messages.get(conflictKey)
    if (storedMessage?.hash.equals(message.hash)) return [this.#removal(conflictKey, storedMessage, removal)]
    if (this.messages().some((compact) => isCompacted(message, compact))) return []
    const displaced = [
      ...(storedMessage ? [[conflictKey, storedMessage] as const] : []),
      ...[...this.#messages].filter(([, link]) => isCompacted(link, message)),
    ]
    for (const [name] of displaced) this.#messages.delete(name)
    this.#messages.set(conflictKey, message)
    return [mergeEvent(message, ...displaced.map(([, other]) => other))]
  }

  #removal(conflictKey: string, storedMessage: SignedMessage, removal: Step['removal']): HubEventBody {
    this.#messages.delete(conflictKey)
    if (removal === 'prune') return { type: HubEventType.PRUNE_MESSAGE, message: storedMessage }
    if (removal === 'revoke') return { type: HubEventType.REVOKE_MESSAGE, message: storedMessage }
    return mergeEvent(
      { ...storedMessage, data: { ...storedMessage.data, type: MessageType.NONE } },
      storedMessage,
    )
  }
}

function mergeEvent(message: SignedMessage, ...deletedMessages: SignedMessage[]): HubEventBody {
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
