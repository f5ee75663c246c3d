import type { ConflictKey, StoredMessageRow } from '../../hub/merge/stored-message.js'
import type { Database } from '../../platform/db/connection.js'
import { type Refusal, refusalError, refuse } from '../../platform/errors.js'
import { decodeStoredMessage } from '../../protocol/codec.js'
import { MessageData, MessageType } from '../../protocol/definitions.js'
import { compactKey } from '../../protocol/kinds/link.js'
import type { MessageContent, SignedMessage } from '../../protocol/message.js'
import { bodyOf, type MessageSet } from '../../protocol/message-kind.js'
import { kindOf } from '../../protocol/message-kinds.js'
import {
  type Author,
  farcasterNow,
  isDuplicate,
  isSuperseded,
  messageData,
  type Publisher,
  signContent,
} from './author.js'

/** Most attempts when concurrent requests of one user conflict. */
const MAX_ATTEMPTS = 5

/** The result of one change. */
export interface ChangeOutcome {
  /** Hash of the current message, or of the refused one; null for a removal of what does not exist. */
  readonly hash: Buffer | null
  readonly refusal: Refusal | null
}

/**
 * Publishes changes that replace earlier ones: reactions, links, profile entries, verifications.
 *
 * All go into one submission, and no two may share a conflict key. A change that is current already
 * succeeds without a message, and so does the removal of a reaction or link that does not exist: a removal takes a
 * place in the user's storage, where it could displace the oldest message. A link that was current until the
 * submission displaced it is refused: to publish it again would displace the next one.
 *
 * @throws PlazaError `unavailable`.
 */
export async function publishChanges(
  publisher: Publisher,
  author: Author,
  changes: readonly MessageContent[],
): Promise<ChangeOutcome[]> {
  const outcomes = new Map<MessageContent, ChangeOutcome>()
  const currentLinks = new Map<MessageContent, Buffer>()
  let pending = changes
  for (let attempt = 1; pending.length > 0; attempt += 1) {
    const prepared = await prepareChanges(publisher, author, pending)
    const messages = prepared.flatMap(({ message }) => (message ? [message] : []))
    const refusals = messages.length === 0 ? [] : await publisher.hub.submit(messages, { origin: 'signer' })
    let next = 0
    for (const [index, { hash, message }] of prepared.entries()) {
      const refusal = message ? (refusals[next++] ?? null) : null
      const change = pending[index]!
      outcomes.set(change, { hash, refusal: isDuplicate(refusal) ? null : refusal })
      // Only links are so many in a submission that they displace others.
      if (change.type === MessageType.LINK_ADD && message === null && hash !== null)
        currentLinks.set(change, hash)
    }
    if (attempt === MAX_ATTEMPTS) break
    pending = pending.filter((change) => isSuperseded(outcomes.get(change)?.refusal ?? null))
  }
  if (currentLinks.size < changes.length) {
    const refusal = refuse('bad_request.prunable', 'other links of this request have displaced it')
    for (const change of await findDisplaced(publisher, author, currentLinks))
      outcomes.set(change, { hash: null, refusal })
  }
  return changes.map((change) => outcomes.get(change)!)
}

/** Returns those whose message is stored no longer: where storage is full, each new message displaces the oldest. */
async function findDisplaced(
  publisher: Publisher,
  author: Author,
  current: ReadonlyMap<MessageContent, Buffer>,
): Promise<MessageContent[]> {
  if (current.size === 0) return []
  const now = farcasterNow(publisher)
  const keyOf = (change: MessageContent) => conflictKeyOf(messageData(publisher, author, change, now))
  const links = [...current].map(([change, hash]) => ({ change, hash, conflictKey: keyOf(change) }))
  const stored = await readStoredMessages(
    publisher.writerDb,
    author.fid,
    links.map(({ conflictKey }) => conflictKey),
  )
  return links.flatMap(({ change, hash, conflictKey: { set, key } }) =>
    stored.get(mapKey(set, key))?.hash.equals(hash) ? [] : [change],
  )
}

/** Publishes one such change. Throws for the hub's refusal; `unavailable`. */
export async function publishChange(
  publisher: Publisher,
  author: Author,
  change: MessageContent,
): Promise<void> {
  const [outcome] = await publishChanges(publisher, author, [change])
  if (outcome?.refusal) throw refusalError(outcome.refusal)
}

/** The hash of the current or new message, and the message to submit, if any. */
interface PreparedChange {
  readonly hash: Buffer | null
  readonly message: SignedMessage | null
}

/**
 * Signs the changes that are not current. For others it returns the hash of the current message, and null.
 *
 * The later of two conflicting messages wins, and within one second the removal (docs/protocol.md §4.2). So a
 * message is dated after the one that it replaces, even in the next second: a follow right after an unfollow
 * is a follow. The protocol accepts messages up to ten minutes ahead.
 */
export async function prepareChanges(
  publisher: Publisher,
  author: Author,
  changes: readonly MessageContent[],
): Promise<PreparedChange[]> {
  const now = farcasterNow(publisher)
  const conflictKeys = changes.map((change) => conflictKeyOf(messageData(publisher, author, change, now)))
  const stored = await readStoredMessages(publisher.writerDb, author.fid, conflictKeys)
  const listedTargets = listedTargetsByKey(stored)
  return changes.map((change, index) => {
    const { set, key, competingKeys } = conflictKeys[index]!
    const existing = stored.get(mapKey(set, key))
    if (existing && hasSameContent(existing, messageData(publisher, author, change, now))) {
      return { hash: existing.hash, message: null }
    }
    if (!existing && isRemoval(change)) {
      const targetFid = change.linkBody?.targetFid ?? 0
      const isListed = competingKeys.some((each) => listedTargets.get(mapKey(set, each))?.has(targetFid))
      if (!isListed) return { hash: null, message: null }
    }
    const times = [key, ...competingKeys].map((each) => stored.get(mapKey(set, each))?.ts ?? 0)
    const message = signContent(publisher, author, change, Math.max(now, ...times.map((ts) => ts + 1)))
    return { hash: message.hash, message }
  })
}

interface ChangeKeys extends Omit<ConflictKey, 'fid'> {
  /** Other conflict keys whose message competes with this one. */
  readonly competingKeys: readonly Buffer[]
}

function conflictKeyOf(data: MessageData): ChangeKeys {
  const kind = kindOf(data.type)
  const body = kind && bodyOf(kind, data)
  if (!kind || kind.set === null || body === undefined)
    throw new Error(`type ${data.type} has no conflict key`)
  // The conflict keys of these types depend on the content, not on the hash.
  const key = kind.conflictKey(body, { data, hash: Buffer.alloc(0) })
  const competingKeys = data.linkBody ? [compactKey(data.linkBody.type)] : []
  return { set: kind.set, key, competingKeys }
}

type StoredChangeRow = Pick<StoredMessageRow, 'set' | 'key' | 'type' | 'ts' | 'hash' | 'message'>

async function readStoredMessages(db: Database, fid: number, conflictKeys: readonly ChangeKeys[]) {
  const lookups = new Map(
    conflictKeys.flatMap(({ set, key, competingKeys }) =>
      [key, ...competingKeys].map((each) => [mapKey(set, each), { set, key: each }] as const),
    ),
  )
  const lookupKeys = [...lookups.values()]
  const rows = await db<StoredChangeRow[]>`
    select m.set, m.key, m.type, m.ts, m.hash, m.message
    from unnest(
      ${lookupKeys.map(({ set }) => set)}::smallint[],
      ${db.types.byteas(lookupKeys.map(({ key }) => key))}::bytea[]
    ) as requested (set, key)
    cross join lateral (
      select * from hub.messages
      where fid = ${fid}::bigint and set = requested.set and key = requested.key
      limit 1
    ) m
  `
  return new Map(rows.map((row) => [mapKey(row.set, row.key), row]))
}

function mapKey(set: MessageSet, key: Buffer): string {
  return `${set}/${key.toString('latin1')}`
}

/** Whether a change is of a type that only ends what an earlier message began. */
function isRemoval({ type }: MessageContent): boolean {
  return type === MessageType.LINK_REMOVE || type === MessageType.REACTION_REMOVE
}

/** Returns the targets of the compact states. A listed link may arrive later, so that a removal is not in vain. */
function listedTargetsByKey(stored: ReadonlyMap<string, StoredChangeRow>) {
  return new Map(
    [...stored].flatMap(([key, { type, message }]) => {
      if (type !== MessageType.LINK_COMPACT_STATE) return []
      return [[key, new Set(decodeStoredMessage(message).data.linkCompactStateBody!.targetFids)] as const]
    }),
  )
}

/** Whether a stored message has the same content, at any time and with any time to display. */
function hasSameContent({ message }: StoredChangeRow, data: MessageData): boolean {
  const { data: stored } = decodeStoredMessage(message)
  if (stored.type !== data.type || stored.type === MessageType.LINK_COMPACT_STATE) return false
  return encodedWithoutTime(stored).equals(encodedWithoutTime(data))
}

function encodedWithoutTime(data: MessageData): Buffer {
  const linkBody = data.linkBody && { ...data.linkBody, displayTimestamp: undefined }
  return Buffer.from(MessageData.encode({ ...data, linkBody, timestamp: 0 }).finish())
}
