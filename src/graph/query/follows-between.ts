import type { Database } from '../../platform/db/connection.js'
import { MAX_SORT_KEY, popularityOf } from '../project/user-popularity.js'
import { type ShortUser, shortUserOf } from './dehydrated-user-columns.js'

/** Follows that are chosen by what two users, or the people around one, have in common. */

/** Somebody that the user follows and that follows it back. */
export interface ReciprocalRow {
  readonly fid: number
  /** When the second of the two follows came; Farcaster seconds. */
  readonly ts: number
  readonly standing: number
}

export interface ReciprocalQuery {
  readonly fid: number
  readonly hidden: readonly number[]
  readonly limit: number
  readonly order: 'time' | 'standing'
}

/**
 * Who follows the user and is followed by it, behind the key `[ts or standing, fid]` of the page before. Reads all
 * that the user follows, which storage keeps to some thousands.
 */
export async function readReciprocal(
  db: Database,
  { fid, hidden, limit, order }: ReciprocalQuery,
  after: readonly [number, number] | null,
): Promise<ReciprocalRow[]> {
  const [key, other] = after ?? [MAX_SORT_KEY, MAX_SORT_KEY]
  return await db<ReciprocalRow[]>`
    with mutual as (
      select f.target_fid as fid, greatest(f.ts, b.ts) as ts, ${popularityOf(db)} as standing
      from social.follows f
      join social.follows b on b.fid = f.target_fid and b.target_fid = f.fid
      join social.users u on u.fid = f.target_fid
      left join social.user_counts c on c.fid = f.target_fid
      where f.fid = ${fid} and f.target_fid <> f.fid and f.target_fid <> all (${[...hidden]}::bigint[])
    ), keyed as (
      select *, ${order === 'time' ? db`ts::float8` : db`standing`} as key from mutual
    )
    select fid, ts, standing
    from keyed
    where (key, fid) < (${key}::float8, ${other}::bigint)
    order by key desc, fid desc
    limit ${limit}
  `
}

/** A follower whom the viewer follows. */
export interface RelevantFollower {
  readonly fid: number
  readonly user: ShortUser
  /** The app that the follow was made with; null if that is not known. */
  readonly app: ShortUser | null
}

/** Who follows the target among those whom the viewer follows, best known first. */
export async function readRelevantFollowers(
  db: Database,
  { targetFid, viewerFid, hidden, limit }: RelevantFollowersQuery,
): Promise<RelevantFollower[]> {
  return await db<RelevantFollower[]>`
    select f.fid, ${shortUserOf(db, 'u')} as "user", ${shortUserOf(db, 'app')} as app
    from social.follows v
    join social.follows f on f.fid = v.target_fid and f.target_fid = ${targetFid}
    join social.users u on u.fid = f.fid
    left join social.user_counts c on c.fid = f.fid
    left join social.signer_apps a on a.fid = f.fid and a.key = f.signer
    left join social.users app on app.fid = a.app_fid
    where v.fid = ${viewerFid} and f.fid <> all (${[...hidden]}::bigint[])
    order by ${popularityOf(db)} desc, f.fid desc
    limit ${limit}
  `
}

export interface RelevantFollowersQuery {
  readonly targetFid: number
  readonly viewerFid: number
  readonly hidden: readonly number[]
  readonly limit: number
}

/** How far a suggestion looks: the user's latest follows, and the latest follows of each of those. */
const MAX_FRIENDS = 100
const FOLLOWS_PER_FRIEND = 100
/** So many of the most frequent are put in order by how well known they are. */
const MAX_CANDIDATES = 300

/**
 * Whom the user might want to follow: those whom most of its friends follow, better known ones first among equals.
 * Looks at 100 latest follows of the user and 100 of each of them, 10,000 rows at most.
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
      where theirs.target_fid <> ${fid} and theirs.target_fid <> all (${[...hidden]}::bigint[])
        -- Hashed once. As "not exists" it is planned for a user who follows two, and reads all follows of one who
        -- follows 3,000 for each of the 10,000.
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
