import type { Database } from '../../platform/db/connection.js'
import { MAX_SORT_KEY, popularityOf } from '../project/user-popularity.js'
import { shortUserOf } from './dehydrated-user-columns.js'
import { columnsOf, type FollowRow, type FollowsQuery } from './follows.js'

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

interface PopularityRow extends Omit<FollowRow, 'fid'> {
  /** Null in the single row of an empty page. */
  readonly fid: number | null
  readonly popularity: number
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
    return { follows, next: { before, end, last: [last.popularity, last.fid] } }
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
  return await db<PopularityRow[]>`
    with span as materialized (
      select f.${db(otherColumn)} as other, f.ts, f.fid, f.signer
      from social.follows f
      where f.${db(ownColumn)} = ${fid}
        and (f.ts, f.${db(otherColumn)}) < (${before[0]}::bigint, ${before[1]}::bigint)
        and (f.ts, f.${db(otherColumn)}) >= (${endTs}::bigint, ${endFid}::bigint)
      order by f.ts desc, f.${db(otherColumn)} desc
      limit ${WINDOW_SIZE}
    ), border as (
      select ts, other from span order by ts, other limit 1
    ), ranked as (
      select s.other, s.ts, s.fid as follower, s.signer, ${popularityOf(db)} as popularity
      from span s
      join social.users u on u.fid = s.other
      left join social.user_counts c on c.fid = s.other
      where s.other <> all (${[...hidden]}::bigint[])
    ), page as (
      select * from ranked
      where (popularity, other) < (${last[0]}::float8, ${last[1]}::bigint)
      order by popularity desc, other desc
      limit ${limit + 1}
    )
    select p.other as fid, p.ts, ${shortUserOf(db, 'app')} as app, p.popularity,
      coalesce(b.ts, ${end?.[0] ?? null}::bigint) as "endTs",
      coalesce(b.other, ${end?.[1] ?? null}::bigint) as "endFid",
      exists (
        select 1 from social.follows f
        where f.${db(ownColumn)} = ${fid}
          and (f.ts, f.${db(otherColumn)}) < (coalesce(b.ts, ${endTs}::bigint), coalesce(b.other, ${endFid}::bigint))
      ) as "hasOlder"
    from (select 1) one
    left join border b on true
    left join page p on true
    left join social.signer_apps a on a.fid = p.follower and a.key = p.signer
    left join social.users app on app.fid = a.app_fid
    order by p.popularity desc, p.other desc
  `
}
