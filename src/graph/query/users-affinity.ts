import type { Database } from '../../platform/db/connection.js'
import { DAY_SECONDS } from '../../platform/durations.js'
import { MAX_SORT_KEY } from './user-popularity.js'
import { type Viewer, visibilityFilter } from './visibility-filter.js'

/** A user and its affinity: the geometric mean of the activity in both directions. */
export interface Friend {
  readonly fid: number
  readonly username: string | null
  readonly affinity: number
}

/** The weight of each kind of activity. */
export const friendshipWeights = { like: 1, recast: 2, reply: 3 } as const

/** The period that counts, and the latest rows of each kind. */
export const affinityWindow = {
  days: 90,
  reactions: 500,
  casts: 500,
  repliedCasts: 200,
  repliesPerCast: 50,
} as const

/** The user, the number of best friends, and the viewer from whom some may be hidden. */
export interface BestFriendsQuery extends Viewer {
  readonly fid: number
  readonly limit: number
  /** Farcaster seconds. */
  readonly now: number
}

/**
 * Reads the users with the highest affinity, after the key `[affinity, fid]` of the previous page. Affinity
 * is mutual: the geometric mean of both directions, each a weighted number of likes, recasts and replies.
 * Only the latest activity of a very active user counts, so that every user costs the same.
 */
export async function readBestFriends(
  db: Database,
  { fid, limit, now, ...viewer }: BestFriendsQuery,
  after: readonly [affinity: number, fid: number] | null,
): Promise<Friend[]> {
  const [affinity, other] = after ?? [MAX_SORT_KEY, MAX_SORT_KEY]
  const { days, reactions, casts, repliedCasts, repliesPerCast } = affinityWindow
  const { like, recast, reply } = friendshipWeights
  const since = now - days * DAY_SECONDS
  const reactionsOf = (type: number, weight: number) => db`
    select target_fid as fid, ${weight}::integer as weight
    from (
      select target_fid from social.reactions
      where fid = ${fid} and type = ${type}::smallint and ts >= ${since}::bigint
      order by ts desc, target_hash desc
      limit ${reactions}
    ) latest`
  return await db<Friend[]>`
    with outgoing as (
      select fid, sum(weight) as weight
      from (
        ${reactionsOf(1, like)}
        union all
        ${reactionsOf(2, recast)}
        union all
        select parent_fid, ${reply}::integer
        from (
          select parent_fid from social.casts
          where fid = ${fid} and ts >= ${since}::bigint
          order by ts desc, hash desc
          limit ${casts}
        ) latest
        where parent_fid is not null
      ) done
      group by fid
    ), own as materialized (
      select hash from social.casts
      where fid = ${fid} and ts >= ${since}::bigint
      order by ts desc, hash desc
      limit ${repliedCasts}
    ), incoming as (
      select fid, sum(weight) as weight
      from (
        select r.fid, case r.type when 1 then ${like}::integer else ${recast}::integer end as weight
        from own
        cross join lateral (
          select fid, type from social.reactions
          where target_hash = own.hash and target_fid = ${fid}
          order by ts desc, fid desc
          limit ${repliesPerCast}
        ) r
        union all
        select a.fid, ${reply}::integer
        from own
        cross join lateral (
          select fid from social.casts
          where parent_hash = own.hash and parent_fid = ${fid}
          order by ts, hash
          limit ${repliesPerCast}
        ) a
      ) received
      group by fid
    ), friends as (
      select o.fid, sqrt(o.weight::float8 * i.weight::float8) as affinity
      from outgoing o
      join incoming i using (fid)
      where o.fid <> ${fid}
    )
    select f.fid, u.username, f.affinity
    from friends f
    join social.users u using (fid)
    where (f.affinity, f.fid) < (${affinity}::float8, ${other}::bigint)
      and ${visibilityFilter(db, viewer, 'f.fid')}
    order by f.affinity desc, f.fid desc
    limit ${limit}
  `
}
