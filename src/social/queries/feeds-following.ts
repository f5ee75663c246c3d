import type { Fragment } from 'postgres'
import type { Database } from '../../db/connection.js'
import { shownTo } from './casts-shown-to.js'
import { type FeedPart, type FeedRow, isShown, placeOf } from './feeds.js'

export interface FollowingSelection {
  /** Whose follows. */
  readonly fid: number
  /** What they recast, at the time when they did. */
  readonly recasts: boolean
}

/**
 * What the users cast whom a user follows. There are two ways to read it, and each is slow where the other is
 * fast: the newest of everyone, of which those by followed users are kept (2,000 followed: 0.2 ms; 30: 14 ms), and
 * the newest of each followed user, of which the newest are kept (2,000 followed: 89 ms; 30: 2 ms). So the first
 * is tried up to a bound, a fraction of what the second would read, and the second finds what is still missing
 * below the place that the first has come to.
 */
export async function readFollowingFeed(
  db: Database,
  selection: FollowingSelection,
  part: FeedPart,
): Promise<FeedRow[]> {
  const { fid } = selection
  // `near` relies on getting the rows of `everyone` in their order, one by one, and on stopping when it has
  // enough: a scan of a CTE is lazy, and a lateral look-up with a limit can only be a nested loop.
  return db<FeedRow[]>`
    with everyone as materialized (
      select * from (${newest(db, selection, part)}) newest
      order by ts desc, hash desc
      limit (
        select least(5000, 100 + ${part.count}::bigint / 4
          * coalesce((select following_count from social.user_counts where fid = ${fid}::bigint), 0))
      )
    ),
    near as materialized (
      select e.ts, e.hash, e.target_fid
      from everyone e
      cross join lateral (
        select from social.follows f where f.fid = ${fid}::bigint and f.target_fid = e.fid limit 1
      ) followed
      where ${shownTo(db, part.viewerFid, 'e.fid')}
      limit ${part.count}
    ),
    far as (
      select place.ts, place.hash, place.target_fid
      from social.follows f
      cross join lateral (${newestOfOne(db, selection, part)}) as place (ts, hash, target_fid)
      where f.fid = ${fid}::bigint and ${shownTo(db, part.viewerFid, 'f.target_fid')}
        and (select count(*) from near) < ${part.count}::bigint
      order by place.ts desc, place.hash desc
      limit ${part.count}
    )
    select r.ts, encode(r.hash, 'hex') as hash, ${isShown(db, part.viewerFid)} as "isShown"
    from (
      select * from (select * from near union all select * from far) found
      order by found.ts desc, found.hash desc
      limit ${part.count}
    ) r
    order by r.ts desc, r.hash desc
  `
}

/**
 * Two streams by index, merged as far as they are read. The bounds stand in the text, not in parameters: a plan
 * that is made for any bound would read everything.
 */
function newest(db: Database, { recasts }: FollowingSelection, part: FeedPart): Fragment {
  const casts = db`(
    select c.ts, c.hash, c.fid, null::bigint as target_fid
    from social.casts c
    where (c.ts, c.hash) < ${placeOf(db, part)}
    order by c.ts desc, c.hash desc
    limit 5000
  )`
  if (!recasts) return casts
  return db`
    ${casts}
    union all
    (
      select r.ts, r.target_hash, r.fid, r.target_fid
      from social.reactions r
      where r.type = 2 and (r.ts, r.target_hash) < ${placeOf(db, part)}
      order by r.ts desc, r.target_hash desc
      limit 5000
    )`
}

/** Of the followed user `f`, below where `everyone` ends. */
function newestOfOne(db: Database, { recasts }: FollowingSelection, part: FeedPart): Fragment {
  const end = db`(
    (select e.ts from everyone e order by e.ts, e.hash limit 1),
    (select e.hash from everyone e order by e.ts, e.hash limit 1)
  )`
  const casts = db`(
    select c.ts, c.hash, null::bigint
    from social.casts c
    where c.fid = f.target_fid and (c.ts, c.hash) < ${end}
    order by c.ts desc, c.hash desc
    limit ${part.count}
  )`
  if (!recasts) return casts
  return db`
    ${casts}
    union all
    (
      select r.ts, r.target_hash, r.target_fid
      from social.reactions r
      where r.fid = f.target_fid and r.type = 2 and (r.ts, r.target_hash) < ${end}
      order by r.ts desc, r.target_hash desc
      limit ${part.count}
    )`
}
