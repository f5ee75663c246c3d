import type { MessageType } from '@farcaster/core'
import type { PendingQuery, Row } from 'postgres'
import type { Database } from '../../platform/db/connection.js'
import type { MessageSet } from '../../protocol/message-kind.js'

/** Where a message stands in a list: the protocol's order within a set (docs/protocol.md §4.1). */
export interface MessageCursor {
  /** Farcaster seconds. */
  readonly ts: number
  readonly hash: Buffer
}

export interface MessagePageOptions {
  readonly limit: number
  /** Newest first. */
  readonly reverse: boolean
  /** Goes on behind this place, without it; null starts at the end. */
  readonly after: MessageCursor | null
  /** A page ends early once its messages are this large: they hold up to 64 kB each, most 200 bytes. */
  readonly maxBytes?: number
}

/** A page of messages. */
export interface MessagePage {
  /** Encoded protobuf Messages. */
  readonly messages: readonly Buffer[]
  /** The last message of the page when there are more behind it, else null. */
  readonly last: MessageCursor | null
}

/** A part of a statement. */
type Fragment = PendingQuery<MessageRow[]>

interface MessageRow {
  ts: number
  hash: Buffer
  message: Buffer
  fits: boolean
}

/** The parts that make a select of messages a page of them. */
export interface PageFragments {
  /** Condition on `ts` and `hash`: behind the place where the page before ended. */
  readonly afterCursor: Fragment
  /** What follows `order by`, up to the limit. */
  readonly ordering: Fragment
}

const MAX_PAGE_BYTES = 32 * 1024 * 1024

/** Above every `ts` there is. */
const AFTER_ALL: MessageCursor = { ts: Number.MAX_SAFE_INTEGER, hash: Buffer.alloc(0) }
const BEFORE_ALL: MessageCursor = { ts: -1, hash: Buffer.alloc(0) }

/**
 * Reads a page of messages. `select` writes the statement that finds `ts, hash, message`, with the two
 * fragments in it; around it comes what bounds the page's size in bytes.
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
  // One more than asked for shows whether there is more.
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
 * @param where `only` is a condition on `hub.messages` that they meet as well.
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

/** Which of a user's messages are asked for. */
export interface MessageFilter {
  readonly fid: number
  readonly set: MessageSet
  /** Null for all that the set holds. */
  readonly types: readonly MessageType[] | null
  /** Farcaster seconds, both included. */
  readonly from: number
  readonly to: number
}

/** What stands in one of a user's sets, removals too. */
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

/** Reads a page of the messages that point at a target (`lookup.ts`). */
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

/** Reads one message by its place in the sets (docs/protocol.md §4.1) and its type; null when there is none. */
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
