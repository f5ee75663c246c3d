import type { PendingQuery, Row } from '#postgres'
import type { Database } from '../../platform/db/connection.js'
import { MessageType, type ReactionType } from '../../protocol/definitions.js'
import { MessageSet } from '../../protocol/message-kind.js'
import { kindOf } from '../../protocol/message-kinds.js'
import { MAX_PAGE_BYTES } from '../log/log-range.js'
import { fitsPage, type SizedPageOptions, splitSizedPage } from './page.js'

/** The position of a message in a list: the protocol's order within a set (docs/protocol.md §4.1). */
export interface MessageCursor {
  /** Farcaster seconds. */
  readonly ts: number
  readonly hash: Buffer
}

/** A page of messages: one has up to 64 kB, most have 200 bytes. */
export type MessagePageOptions = SizedPageOptions<MessageCursor>

/** A page of messages. */
export interface MessagePage {
  /** Encoded protobuf Messages. */
  readonly messages: readonly Buffer[]
  /** The last message of the page when there are more; null at the end. */
  readonly last: MessageCursor | null
}

/** A fragment of SQL. */
type Fragment = PendingQuery<MessageRow[]>

interface MessageRow {
  ts: number
  hash: Buffer
  message: Buffer
  fits: boolean
}

/** The fragments that bound a select of messages to a page. */
interface PageFragments {
  /** Condition on `ts` and `hash`: after the cursor. */
  readonly afterCursor: Fragment
  /** The expressions of `order by`, and the limit. */
  readonly ordering: Fragment
}

/** Above every `ts`. */
const AFTER_ALL: MessageCursor = { ts: Number.MAX_SAFE_INTEGER, hash: Buffer.alloc(0) }
const BEFORE_ALL: MessageCursor = { ts: -1, hash: Buffer.alloc(0) }

/** A page is read in parts: the driver makes objects of 1,000 rows in 5 ms, in one go as they come. */
const PART_MESSAGES = 1_000

/** Reads a page of `ts, hash, message`, bounded by number and by size in bytes. */
async function readMessagePage(
  db: Database,
  page: MessagePageOptions,
  select: (fragments: PageFragments) => Fragment,
): Promise<MessagePage> {
  const { maxBytes = MAX_PAGE_BYTES } = page
  const messages: Buffer[] = []
  let { after } = page
  let bytes = 0
  for (;;) {
    const limit = Math.min(PART_MESSAGES, page.limit - messages.length)
    const part = await readMessagePart(db, { ...page, after, limit, maxBytes: maxBytes - bytes }, select)
    messages.push(...part.messages)
    after = part.last
    bytes += part.messages.reduce((sum, { length }) => sum + length, 0)
    // A part that was cut short by its size has fewer messages than its limit.
    const isFull = part.messages.length < limit || messages.length >= page.limit || bytes >= maxBytes
    if (after === null || isFull) return { messages, last: after }
  }
}

async function readMessagePart(
  db: Database,
  page: MessagePageOptions & { readonly maxBytes: number },
  select: (fragments: PageFragments) => Fragment,
): Promise<MessagePage> {
  const { ts, hash } = page.after ?? (page.reverse ? AFTER_ALL : BEFORE_ALL)
  const direction = page.reverse ? db`desc` : db`asc`
  const order = db`ts ${direction}, hash ${direction}`
  const afterCursor = page.reverse
    ? db<MessageRow[]>`(ts, hash) < (${ts}::bigint, ${hash}::bytea)`
    : db<MessageRow[]>`(ts, hash) > (${ts}::bigint, ${hash}::bytea)`
  // One more row than the page has shows whether there is another page.
  const ordering = db<MessageRow[]>`${order} limit ${page.limit + 1}::bigint`
  const rows = await db<MessageRow[]>`
    select ts, hash, fits, case when fits then message end as message
    from (
      select
        ts, hash, message,
        ${fitsPage(db, { bytes: db`octet_length(message)`, order, maxBytes: page.maxBytes })} as fits
      from (${select({ afterCursor, ordering })}) found
    ) page
    order by ${order}
  `
  const { page: read, last } = splitSizedPage(rows, page.limit)
  return { messages: read.map((row) => row.message), last: last && { ts: last.ts, hash: last.hash } }
}

/** Reads a page of the messages that a condition on `hub.messages` selects. */
function readMessages(
  db: Database,
  page: MessagePageOptions,
  condition: PendingQuery<Row[]>,
): Promise<MessagePage> {
  return readMessagePage(
    db,
    page,
    ({ afterCursor, ordering }) => db`
      select ts, hash, message
      from hub.messages
      where ${condition}
        and ${afterCursor}
      order by ${ordering}
    `,
  )
}

/** Reads a user's messages of one type; `condition` is a further one, which starts with `and`. */
export function readMessagesOfType(
  db: Database,
  fid: number,
  type: MessageType,
  page: MessagePageOptions,
  condition: PendingQuery<Row[]> = db``,
): Promise<MessagePage> {
  const set = setOf(type)
  const where = db`fid = ${fid}::bigint and set = ${set}::smallint and type = ${type}::smallint ${condition}`
  return readMessages(db, page, where)
}

/** Reads a user's links; of all types if `linkType` is null. */
export function readLinksByFid(
  db: Database,
  fid: number,
  linkType: string | null,
  page: MessagePageOptions,
): Promise<MessagePage> {
  // A link's key is 0x01, the type, 0x00 and the target in 8 bytes (conflict keys, docs/protocol.md §4.1). A type may contain
  // 0x00 itself: only the length says where it ends.
  const keyStart = Buffer.from(linkType === null ? '\x01' : `\x01${linkType}\0`)
  const condition = db`
    and substring(key for ${keyStart.length}::integer) = ${keyStart}::bytea
    and (${linkType === null}::boolean or octet_length(key) = ${keyStart.length + 8}::integer)
  `
  return readMessagesOfType(db, fid, MessageType.LINK_ADD, page, condition)
}

/** Reads a user's reactions of some types. */
export function readReactionsByFid(
  db: Database,
  fid: number,
  types: readonly ReactionType[],
  page: MessagePageOptions,
): Promise<MessagePage> {
  // A reaction's key starts with its type.
  const condition = db`and get_byte(key, 0) = any (${[...types]}::integer[])`
  return readMessagesOfType(db, fid, MessageType.REACTION_ADD, page, condition)
}

/** Reads a user's verifications: of one address, or of all if it is null. */
export function readVerificationsByFid(
  db: Database,
  fid: number,
  address: Buffer | null,
  page: MessagePageOptions,
): Promise<MessagePage> {
  const condition = db`and (${address}::bytea is null or key = ${address}::bytea)`
  return readMessagesOfType(db, fid, MessageType.VERIFICATION_ADD_ETH_ADDRESS, page, condition)
}

/** Selects messages of a user. */
export interface MessageFilter {
  readonly fid: number
  readonly set: MessageSet
  /** Null for all types of the set. */
  readonly types: readonly MessageType[] | null
  /** Farcaster seconds, both included. */
  readonly from: number
  readonly to: number
}

/** Reads the messages of one of a user's sets, removals included. */
export function readMessagesByFid(
  db: Database,
  { fid, set, types, from, to }: MessageFilter,
  page: MessagePageOptions,
): Promise<MessagePage> {
  const typeList = types && [...types]
  const condition = db`
    fid = ${fid}::bigint
    and set = ${set}::smallint
    and (${typeList}::smallint[] is null or type = any (${typeList}::smallint[]))
    and ts >= ${from}::bigint
    and ts <= ${to}::bigint
  `
  return readMessages(db, page, condition)
}

/** Reads a page of the messages with a target (`message-target.ts`). */
export function readTargetPage(db: Database, target: Buffer, page: MessagePageOptions): Promise<MessagePage> {
  return readMessages(db, page, db`target = ${target}::bytea`)
}

/** Reads a page of the messages with any of several targets, in the order of their time. */
export function readTargetsPage(
  db: Database,
  targets: readonly Buffer[],
  page: MessagePageOptions,
): Promise<MessagePage> {
  return readMessagePage(
    db,
    page,
    // Reads a page of each target from the index, then merges them: `target = any (…)` would read all rows.
    ({ afterCursor, ordering }) => db`
      select found.ts, found.hash, found.message
      from unnest(${db.types.byteas(targets)}::bytea[]) as requested (target)
      cross join lateral (
        select ts, hash, message
        from hub.messages m
        where m.target = requested.target
          and ${afterCursor}
        order by ${ordering}
      ) found
      order by ${ordering}
    `,
  )
}

/** Reads casts that mention a user. */
export function readCastsByMention(
  db: Database,
  fid: number,
  page: MessagePageOptions,
): Promise<MessagePage> {
  return readMessagePage(
    db,
    page,
    ({ afterCursor, ordering }) => db`
      select m.ts, m.hash, m.message
      from (
        select ts, hash, fid
        from hub.cast_mentions
        where mentioned_fid = ${fid}::bigint
          and ${afterCursor}
        order by ${ordering}
      ) mention
      join hub.messages m
        on m.fid = mention.fid and m.set = ${MessageSet.casts}::smallint and m.key = mention.hash
    `,
  )
}

/** Reads one message by its type and conflict key (docs/protocol.md §4.1); null if none or removed. */
export async function readMessage(
  db: Database,
  fid: number,
  type: MessageType,
  key: Buffer,
): Promise<Buffer | null> {
  const [row] = await db<{ message: Buffer }[]>`
    select message
    from hub.messages
    where fid = ${fid}::bigint
      and set = ${setOf(type)}::smallint
      and key = ${key}::bytea
      and type = ${type}::smallint
  `
  return row?.message ?? null
}

function setOf(type: MessageType): MessageSet {
  return kindOf(type)!.set!
}
