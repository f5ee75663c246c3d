import type { Database } from '../../platform/db/connection.js'
import { type DehydratedUserRow, dehydratedUserColumns } from './dehydrated-user-columns.js'
import { MAX_SORT_KEY, popularityOf } from './user-popularity.js'

/** The side of a list: the followers of the user, or the users it follows. */
export type FollowSide = 'followers' | 'following'

/** One follow in the list of a user. */
export interface FollowRow {
  /** The other user. */
  readonly fid: number
  /** Farcaster seconds. */
  readonly ts: number
  /** The app whose key signed the link; null if unknown. */
  readonly app: DehydratedUserRow | null
}

/** A page of the list of a user. */
export interface FollowsQuery {
  readonly fid: number
  readonly side: FollowSide
  /** Fids that the list leaves out. */
  readonly hidden: readonly number[]
  readonly limit: number
}

/** Reads follows by time, latest first, after the key `[ts, fid]` of the previous page. */
export async function readFollows(
  db: Database,
  { fid, side, hidden, limit }: FollowsQuery,
  after: readonly [ts: number, fid: number] | null,
): Promise<FollowRow[]> {
  const [ts, other] = after ?? [MAX_SORT_KEY, MAX_SORT_KEY]
  const { ownColumn, otherColumn } = columnsOf(side)
  return await db<FollowRow[]>`
    select f.${db(otherColumn)} as fid, f.ts, ${dehydratedUserColumns(db, 'app')} as app
    from social.follows f
    left join social.signer_apps a on a.fid = f.fid and a.key = f.signer
    left join social.users app on app.fid = a.app_fid
    where f.${db(ownColumn)} = ${fid}
      and (f.ts, f.${db(otherColumn)}) < (${ts}::bigint, ${other}::bigint)
      and f.${db(otherColumn)} not in (select unnest(${[...hidden]}::bigint[]))
      and exists (select 1 from social.users u where u.fid = f.${db(otherColumn)})
    order by f.ts desc, f.${db(otherColumn)} desc
    limit ${limit}
  `
}

/** The columns of `follows` that hold the user of the list and the other users. */
function columnsOf(side: FollowSide): { ownColumn: string; otherColumn: string } {
  return side === 'followers'
    ? { ownColumn: 'target_fid', otherColumn: 'fid' }
    : { ownColumn: 'fid', otherColumn: 'target_fid' }
}

/** Reads the fids that a user follows, unordered, up to a limit. */
export async function readFollowed(db: Database, fid: number, limit: number): Promise<number[]> {
  const [row] = await db<{ followed: number[] }[]>`
    select array(select target_fid from social.follows where fid = ${fid} limit ${limit}) as followed
  `
  return row!.followed
}

/**
 * A position in the list by popularity. The list consists of windows of a thousand follows, latest first;
 * inside a window the most popular come first. So a page of a user with millions of followers costs what
 * every page costs. A window keeps its borders while it is paged through.
 */
export interface PopularityCursor {
  /** The window: follows before this one… */
  readonly before: readonly [ts: number, fid: number]
  /** …down to this one; null in a window that has not been started. */
  readonly end: readonly [ts: number, fid: number] | null
  /** The last row of the previous page in the window. */
  readonly last: readonly [popularity: number, fid: number]
}

/** A page of follows, most popular users first. */
export interface PopularityPage {
  readonly follows: readonly FollowRow[]
  /** Null on the last page. */
  readonly next: PopularityCursor | null
}

const WINDOW_SIZE = 1_000

/** A window that has been started may gain follows that were signed earlier. */
const MAX_STARTED_WINDOW_SIZE = 2 * WINDOW_SIZE

interface PopularityRow extends Omit<FollowRow, 'fid'> {
  /** Null in the single row of an empty page. */
  readonly fid: number | null
  readonly popularity: number
  /** The latest follow of the window; null in an empty one. */
  readonly startTs: number | null
  readonly startFid: number
  /** The border of the window: its earliest follow. */
  readonly endTs: number | null
  readonly endFid: number
  readonly hasOlder: boolean
}

/** Reads follows, most popular first within windows of time. */
export async function readFollowsByPopularity(
  db: Database,
  query: FollowsQuery,
  cursor: PopularityCursor | null,
): Promise<PopularityPage> {
  const before = cursor?.before ?? [MAX_SORT_KEY, MAX_SORT_KEY]
  const rows = await readWindow(db, query, {
    before,
    end: cursor?.end ?? null,
    last: cursor?.last ?? [MAX_SORT_KEY, MAX_SORT_KEY],
  })
  const found = rows.flatMap((row) => (row.fid === null ? [] : [{ ...row, fid: row.fid }]))
  const follows = found.slice(0, query.limit)
  const window = rows[0]
  if (!window || window.endTs === null) return { follows, next: null }
  const end = [window.endTs, window.endFid] as const
  const last = follows.at(-1)
  if (last && found.length > query.limit) {
    // Follows that arrive meanwhile are before the window: inside, they would push its earliest into the next one.
    const start = window.startTs === null ? before : ([window.startTs, window.startFid + 1] as const)
    return { follows, next: { before: start, end, last: [last.popularity, last.fid] } }
  }
  const next = window.hasOlder
    ? { before: end, end: null, last: [MAX_SORT_KEY, MAX_SORT_KEY] as const }
    : null
  return { follows, next }
}

async function readWindow(
  db: Database,
  { fid, side, hidden, limit }: FollowsQuery,
  { before, end, last }: PopularityCursor,
): Promise<PopularityRow[]> {
  const { ownColumn, otherColumn } = columnsOf(side)
  const [endTs, endFid] = end ?? [-1, -1]
  const size = end === null ? WINDOW_SIZE : MAX_STARTED_WINDOW_SIZE
  return await db<PopularityRow[]>`
    with span as materialized (
      select f.${db(otherColumn)} as other, f.ts, f.fid, f.signer
      from social.follows f
      where f.${db(ownColumn)} = ${fid}
        and (f.ts, f.${db(otherColumn)}) < (${before[0]}::bigint, ${before[1]}::bigint)
        and (f.ts, f.${db(otherColumn)}) >= (${endTs}::bigint, ${endFid}::bigint)
      order by f.ts desc, f.${db(otherColumn)} desc
      limit ${size}
    ), start as (
      select ts, other from span order by ts desc, other desc limit 1
    ), border as (
      (select ${end?.[0] ?? null}::bigint as ts, ${end?.[1] ?? null}::bigint as other where ${end !== null}::boolean)
      union all
      (select ts, other from span where ${end === null}::boolean order by ts, other limit 1)
    ), ranked as (
      select s.other, s.ts, s.fid as follower, s.signer, ${popularityOf(db)} as popularity
      from span s
      join social.users u on u.fid = s.other
      left join social.user_counts c on c.fid = s.other
      where s.other not in (select unnest(${[...hidden]}::bigint[]))
    ), page as (
      select * from ranked
      where (popularity, other) < (${last[0]}::float8, ${last[1]}::bigint)
      order by popularity desc, other desc
      limit ${limit + 1}
    )
    select p.other as fid, p.ts, ${dehydratedUserColumns(db, 'app')} as app, p.popularity,
      s.ts as "startTs", s.other as "startFid", b.ts as "endTs", b.other as "endFid",
      older.ts is not null as "hasOlder"
    from (select 1) one
    left join start s on true
    left join border b on true
    -- Not \`exists\`, which drops the order: where a user has a fifth of all follows, each row of the page read the whole table.
    left join lateral (
      select f.ts
      from social.follows f
      where f.${db(ownColumn)} = ${fid} and (f.ts, f.${db(otherColumn)}) < (b.ts, b.other)
      order by f.ts desc, f.${db(otherColumn)} desc
      limit 1
    ) older on true
    left join page p on true
    left join social.signer_apps a on a.fid = p.follower and a.key = p.signer
    left join social.users app on app.fid = a.app_fid
    order by p.popularity desc, p.other desc
  `
}
