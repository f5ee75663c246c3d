import type { Database } from '../../platform/db/connection.js'
import { type Refusal, refusalError } from '../../platform/errors.js'
import { decodeStoredMessage } from '../../protocol/codec.js'
import { MessageData, MessageType } from '../../protocol/definitions.js'
import { compactKey } from '../../protocol/kinds/link.js'
import type { SignedMessage } from '../../protocol/message.js'
import { bodyOf, type MessageSet } from '../../protocol/message-kind.js'
import { kindOf } from '../../protocol/message-kinds.js'
import {
  type Author,
  farcasterNow,
  isDuplicate,
  isSuperseded,
  messageData,
  type Publisher,
  type Statement,
  signStatement,
} from './author.js'

/** Most attempts when concurrent requests of one user conflict. */
const MAX_ATTEMPTS = 5

/** The result of one statement. */
export interface ChangeOutcome {
  /** Hash of the current message, or of the refused one. */
  readonly hash: Buffer
  readonly refusal: Refusal | null
}

/**
 * Publishes statements that replace earlier ones: reactions, links, profile entries, verifications.
 *
 * All go into one submission, and no two may share a conflict key. A statement that is current already
 * succeeds without a message.
 *
 * @throws PlazaError `unavailable`.
 */
export async function publishChanges(
  publisher: Publisher,
  author: Author,
  statements: readonly Statement[],
): Promise<ChangeOutcome[]> {
  const outcomes = new Map<Statement, ChangeOutcome>()
  let pending = statements
  for (let attempt = 1; pending.length > 0; attempt += 1) {
    const prepared = await prepareChanges(publisher, author, pending)
    const messages = prepared.flatMap(({ message }) => (message ? [message] : []))
    const refusals =
      messages.length === 0 ? [] : await publisher.hub.submit(messages, { signedLocally: true })
    let next = 0
    for (const [index, { hash, message }] of prepared.entries()) {
      const refusal = message ? (refusals[next++] ?? null) : null
      outcomes.set(pending[index]!, { hash, refusal: isDuplicate(refusal) ? null : refusal })
    }
    if (attempt === MAX_ATTEMPTS) break
    pending = pending.filter((statement) => isSuperseded(outcomes.get(statement)?.refusal ?? null))
  }
  return statements.map((statement) => outcomes.get(statement)!)
}

/** Publishes one such statement. Throws for the hub's refusal; `unavailable`. */
export async function publishChange(publisher: Publisher, author: Author, change: Statement): Promise<void> {
  const [outcome] = await publishChanges(publisher, author, [change])
  if (outcome?.refusal) throw refusalError(outcome.refusal)
}

/**
 * Signs the statements that are not current. For others it returns the hash of the current message, and null.
 *
 * The later of two conflicting messages wins, and within one second the removal (docs/protocol.md §4.2). So a
 * message is dated after the one that it replaces, even in the next second: a follow right after an unfollow
 * is a follow. The protocol accepts messages up to ten minutes ahead.
 */
export async function prepareChanges(
  publisher: Publisher,
  author: Author,
  statements: readonly Statement[],
): Promise<{ readonly hash: Buffer; readonly message: SignedMessage | null }[]> {
  const now = farcasterNow(publisher)
  const conflictKeys = statements.map((statement) =>
    conflictKeyOf(messageData(publisher, author, statement, now)),
  )
  const stored = await readStoredMessages(publisher.writerDb, author.fid, conflictKeys)
  return statements.map((statement, index) => {
    const { set, key, competingKeys } = conflictKeys[index]!
    const existing = stored.get(mapKey(set, key))
    if (existing && hasSameContent(existing, messageData(publisher, author, statement, now))) {
      return { hash: existing.hash, message: null }
    }
    const times = [key, ...competingKeys].map((each) => stored.get(mapKey(set, each))?.ts ?? 0)
    const message = signStatement(publisher, author, statement, Math.max(now, ...times.map((ts) => ts + 1)))
    return { hash: message.hash, message }
  })
}

interface ConflictKey {
  readonly set: MessageSet
  readonly key: Buffer
  /** Other conflict keys whose message competes with this one. */
  readonly competingKeys: readonly Buffer[]
}

function conflictKeyOf(data: MessageData): ConflictKey {
  const kind = kindOf(data.type)
  const body = kind && bodyOf(kind, data)
  if (!kind || kind.set === null || body === undefined)
    throw new Error(`type ${data.type} has no conflict key`)
  // The conflict keys of these types depend on the content, not on the hash.
  const key = kind.conflictKey(body, { data, hash: Buffer.alloc(0) })
  const competingKeys = data.linkBody ? [compactKey(data.linkBody.type)] : []
  return { set: kind.set, key, competingKeys }
}

interface StoredMessageRow {
  set: MessageSet
  key: Buffer
  /** Farcaster seconds. */
  ts: number
  hash: Buffer
  message: Buffer
}

async function readStoredMessages(db: Database, fid: number, conflictKeys: readonly ConflictKey[]) {
  const lookups = new Map(
    conflictKeys.flatMap(({ set, key, competingKeys }) =>
      [key, ...competingKeys].map((each) => [mapKey(set, each), { set, key: each }] as const),
    ),
  )
  const lookupKeys = [...lookups.values()]
  const rows = await db<StoredMessageRow[]>`
    select m.set, m.key, m.ts, m.hash, m.message
    from unnest(
      ${lookupKeys.map(({ set }) => set)}::smallint[],
      ${db.types.byteas(lookupKeys.map(({ key }) => key))}::bytea[]
    ) as wanted (set, key)
    cross join lateral (
      select * from hub.messages
      where fid = ${fid}::bigint and set = wanted.set and key = wanted.key
      limit 1
    ) m
  `
  return new Map(rows.map((row) => [mapKey(row.set, row.key), row]))
}

function mapKey(set: MessageSet, key: Buffer): string {
  return `${set}/${key.toString('latin1')}`
}

/** Whether a stored message has the same content, at any time. */
function hasSameContent({ message }: StoredMessageRow, data: MessageData): boolean {
  const { data: stored } = decodeStoredMessage(message)
  if (stored.type !== data.type || stored.type === MessageType.LINK_COMPACT_STATE) return false
  return encodedWithoutTime(stored).equals(encodedWithoutTime(data))
}

function encodedWithoutTime(data: MessageData): Buffer {
  return Buffer.from(MessageData.encode({ ...data, timestamp: 0 }).finish())
}
