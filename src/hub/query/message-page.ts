import type { MessageType } from '@farcaster/core'
import type { PendingQuery, Row } from 'postgres'
import type { Database } from '../../platform/db/connection.js'
import type { MessageSet } from '../../protocol/message-kind.js'

/** The position of a message in a list: the protocol's order within a set (docs/protocol.md §4.1). */
export interface MessageCursor {
  /** Farcaster seconds. */
  readonly ts: number
  readonly hash: Buffer
}

export interface MessagePageOptions {
  readonly limit: number
  /** Newest first. */
  readonly reverse: boolean
  /** The page starts after this message; null starts at the first. */
  readonly after: MessageCursor | null
  /** A page ends early once its messages are this large: one has up to 64 kB, most have 200 bytes. */
  readonly maxBytes?: number
}

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
export interface PageFragments {
  /** Condition on `ts` and `hash`: after the cursor. */
  readonly afterCursor: Fragment
  /** The expressions of `order by`, and the limit. */
  readonly ordering: Fragment
}

const MAX_PAGE_BYTES = 32 * 1024 * 1024

/** Above every `ts`. */
const AFTER_ALL: MessageCursor = { ts: Number.MAX_SAFE_INTEGER, hash: Buffer.alloc(0) }
const BEFORE_ALL: MessageCursor = { ts: -1, hash: Buffer.alloc(0) }

/**
 * Reads a page of messages, bounded by number and by size in bytes.
 *
 * @param select Makes the statement that selects `ts, hash, message`, with both fragments.
 */
export async function readMessagePage(
  db: Database,
  page: MessagePageOptions,
  select: (fragments: PageFragments) => Fragment,
): Promise<MessagePage> {
  const { ts, hash } = page.after ?? (page.reverse ? AFTER_ALL : BEFORE_ALL)
  const order = page.reverse ? db`desc` : db`asc`
  const afterCursor = page.reverse
    ? db<MessageRow[]>`(ts, hash) < (${ts}::bigint, ${hash}::bytea)`
    : db<MessageRow[]>`(ts, hash) > (${ts}::bigint, ${hash}::bytea)`
  // One more row than the page has shows whether there is another page.
  const ordering = db<MessageRow[]>`ts ${order}, hash ${order} limit ${page.limit + 1}::bigint`
  const rows = await db<MessageRow[]>`
    select ts, hash, fits, case when fits then message end as message
    from (
      select
        ts, hash, message,
        coalesce(
          sum(octet_length(message)) over (
            order by ts ${order}, hash ${order} rows between unbounded preceding and 1 preceding
          ),
          0
        ) < ${page.maxBytes ?? MAX_PAGE_BYTES}::bigint as fits
      from (${select({ afterCursor, ordering })}) found
    ) page
    order by ts ${order}, hash ${order}
  `
  const read = rows.filter((row) => row.fits).slice(0, page.limit)
  const last = read.at(-1)
  const isEnd = last === undefined || read.length === rows.length
  return {
    messages: read.map((row) => row.message),
    last: isEnd ? null : { ts: last.ts, hash: last.hash },
  }
}

/**
 * Reads a page of the messages of one type in one of a user's sets.
 *
 * @param where `condition` is a further one on `hub.messages`.
 */
export function readSetPage(
  db: Database,
  where: {
    readonly fid: number
    readonly set: number
    readonly type: number
    readonly condition?: PendingQuery<Row[]>
  },
  page: MessagePageOptions,
): Promise<MessagePage> {
  const condition = where.condition === undefined ? db`` : db`and ${where.condition}`
  return readMessagePage(
    db,
    page,
    ({ afterCursor, ordering }) => db`
      select ts, hash, message
      from hub.messages
      where fid = ${where.fid}::bigint
        and set = ${where.set}::smallint
        and type = ${where.type}::smallint
        ${condition}
        and ${afterCursor}
      order by ${ordering}
    `,
  )
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
  return readMessagePage(
    db,
    page,
    ({ afterCursor, ordering }) => db`
      select ts, hash, message
      from hub.messages
      where fid = ${fid}::bigint
        and set = ${set}::smallint
        and (${typeList}::smallint[] is null or type = any (${typeList}::smallint[]))
        and ts >= ${from}::bigint
        and ts <= ${to}::bigint
        and ${afterCursor}
      order by ${ordering}
    `,
  )
}

/** Reads a page of the messages with a target (`message-target.ts`). */
export function readTargetPage(db: Database, target: Buffer, page: MessagePageOptions): Promise<MessagePage> {
  return readMessagePage(
    db,
    page,
    ({ afterCursor, ordering }) => db`
      select ts, hash, message
      from hub.messages
      where target = ${target}::bytea
        and ${afterCursor}
      order by ${ordering}
    `,
  )
}

/** Reads one message by its conflict key (docs/protocol.md §4.1) and type; null when there is none. */
export async function readMessage(
  db: Database,
  where: { readonly fid: number; readonly set: number; readonly key: Buffer; readonly type: number },
): Promise<Buffer | null> {
  const [row] = await db<{ message: Buffer }[]>`
    select message
    from hub.messages
    where fid = ${where.fid}::bigint
      and set = ${where.set}::smallint
      and key = ${where.key}::bytea
      and type = ${where.type}::smallint
  `
  return row?.message ?? null
}
