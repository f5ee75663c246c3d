import type { Database } from '../../platform/db/connection.js'
import { type DehydratedUserRow, dehydratedUserColumns } from './dehydrated-user-columns.js'
import { MAX_SORT_KEY, popularityOf } from './user-popularity.js'

/** A user that the user follows and that follows back. */
export interface ReciprocalRow {
  readonly fid: number
  /** The time of the later of the two follows, in Farcaster seconds. */
  readonly ts: number
  readonly popularity: number
}

/** A page of mutual follows of a user. */
export interface ReciprocalQuery {
  readonly fid: number
  readonly hidden: readonly number[]
  readonly limit: number
  readonly order: 'time' | 'popularity'
}

/**
 * Reads users with mutual follows, after the key `[ts or popularity, fid]` of the previous page. Reads all
 * follows of the user, which storage limits to some thousands.
 */
export async function readReciprocal(
  db: Database,
  { fid, hidden, limit, order }: ReciprocalQuery,
  after: readonly [number, number] | null,
): Promise<ReciprocalRow[]> {
  const [key, other] = after ?? [MAX_SORT_KEY, MAX_SORT_KEY]
  return await db<ReciprocalRow[]>`
    with mutual as (
      select f.target_fid as fid, greatest(f.ts, b.ts) as ts, ${popularityOf(db)} as popularity
      from social.follows f
      join social.follows b on b.fid = f.target_fid and b.target_fid = f.fid
      join social.users u on u.fid = f.target_fid
      left join social.user_counts c on c.fid = f.target_fid
      where f.fid = ${fid} and f.target_fid <> f.fid and f.target_fid not in (select unnest(${[...hidden]}::bigint[]))
    ), keyed as (
      select *, ${order === 'time' ? db`ts::float8` : db`popularity`} as key from mutual
    )
    select fid, ts, popularity
    from keyed
    where (key, fid) < (${key}::float8, ${other}::bigint)
    order by key desc, fid desc
    limit ${limit}
  `
}

/** A follower whom the viewer follows. */
export interface RelevantFollower {
  readonly fid: number
  readonly user: DehydratedUserRow
  /** The app that the follow was made with; null if unknown. */
  readonly app: DehydratedUserRow | null
}

/** Reads the followers of the target whom the viewer follows, most popular first. */
export async function readRelevantFollowers(
  db: Database,
  { targetFid, viewerFid, hidden, limit }: RelevantFollowersQuery,
): Promise<RelevantFollower[]> {
  return await db<RelevantFollower[]>`
    select f.fid, ${dehydratedUserColumns(db, 'u')} as "user", ${dehydratedUserColumns(db, 'app')} as app
    from social.follows v
    join social.follows f on f.fid = v.target_fid and f.target_fid = ${targetFid}
    join social.users u on u.fid = f.fid
    left join social.user_counts c on c.fid = f.fid
    left join social.signer_apps a on a.fid = f.fid and a.key = f.signer
    left join social.users app on app.fid = a.app_fid
    where v.fid = ${viewerFid} and f.fid not in (select unnest(${[...hidden]}::bigint[]))
    order by ${popularityOf(db)} desc, f.fid desc
    limit ${limit}
  `
}

/** The target, its viewer, and the page. */
export interface RelevantFollowersQuery {
  readonly targetFid: number
  readonly viewerFid: number
  readonly hidden: readonly number[]
  readonly limit: number
}

/** The limit of a suggestion: the latest follows of the user, and of each of those. */
const MAX_FRIENDS = 100
const FOLLOWS_PER_FRIEND = 100
/** The most frequent candidates, which are then sorted by popularity. */
const MAX_CANDIDATES = 300

/**
 * Suggests users to follow: those whom most of the user's follows follow, the more popular first among
 * equals. Reads the latest 100 follows of the user and of each of those: at most 10,000 rows.
 */
export async function readSuggested(
  db: Database,
  { fid, hidden, limit }: { fid: number; hidden: readonly number[]; limit: number },
): Promise<number[]> {
  const rows = await db<{ fid: number }[]>`
    with friends as materialized (
      select target_fid as fid from social.follows
      where fid = ${fid}
      order by ts desc, target_fid desc
      limit ${MAX_FRIENDS}
    ), candidates as materialized (
      select theirs.target_fid as fid, count(*) as friends
      from friends
      cross join lateral (
        select f.target_fid from social.follows f
        where f.fid = friends.fid
        order by f.ts desc, f.target_fid desc
        limit ${FOLLOWS_PER_FRIEND}
      ) theirs
      where theirs.target_fid <> ${fid} and theirs.target_fid not in (select unnest(${[...hidden]}::bigint[]))
        -- Hashed once. "not exists" is planned for a user with two follows, and for one with 3,000 it reads
        -- all of them for each of the 10,000 rows.
        and theirs.target_fid not in (select mine.target_fid from social.follows mine where mine.fid = ${fid})
      group by theirs.target_fid
      order by friends desc, theirs.target_fid
      limit ${MAX_CANDIDATES}
    )
    select u.fid
    from candidates
    join social.users u using (fid)
    left join social.user_counts c using (fid)
    order by candidates.friends desc, ${popularityOf(db)} desc, u.fid
    limit ${limit}
  `
  return rows.map((row) => row.fid)
}
