import fc from 'fast-check'
import type { HubEventBody } from '../../../hub/log/hub-event.js'
import { conflictKeyOf } from '../../../hub/merge/merge-message.js'
import { conflictKeyId } from '../../../hub/merge/stored-message.js'
import type { Database } from '../../../platform/db/connection.js'
import { HubEventType, MessageType } from '../../../protocol/definitions.js'
import type { SignedMessage } from '../../../protocol/message.js'

/** A step of one message of a pool: it is merged, or removed in this way if it is stored. */
export interface Step {
  readonly messageIndex: number
  readonly removal: 'prune' | 'revoke' | 'displace'
}

/** Batches of steps with few messages, so that the same ones are added and removed repeatedly. */
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

/** A model of the hub's store: the latest message of each conflict key. */
export class StoredMessages {
  readonly #messages = new Map<string, SignedMessage>()

  /** Returns all stored messages. */
  messages(): SignedMessage[] {
    return [...this.#messages.values()]
  }

  /** The events of merging all stored messages once more. */
  mergeAllAgain(): HubEventBody[] {
    return this.messages().map((message) => mergeEvent(message))
  }

  /** The events of a step; none when a compact state excludes the message. */
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

/** The compact state rule for added links (docs/protocol.md §4.3). */
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

/** A row as one line of text: bytes in hex, columns in the order of their names. */
export function lineOf(row: object): string {
  const columns = Object.entries(row).map(([name, value]): [string, unknown] => [
    name,
    value instanceof Uint8Array ? `\\x${Buffer.from(value).toString('hex')}` : value,
  ])
  return JSON.stringify(columns.sort(([a], [b]) => (a < b ? -1 : 1)))
}

/** The rows of tables of the read model as sorted lines, without the search words that the database makes. */
export async function linesOf(
  db: Database,
  tables: readonly string[],
): Promise<Record<string, readonly string[]>> {
  const parts = tables.map(
    (name) => `select '${name}' as name, to_jsonb(t) - 'words' - 'merged_at' as row from social.${name} t`,
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
