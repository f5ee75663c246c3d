import type { Fragment } from 'postgres'
import type { Database } from '../../platform/db/connection.js'
import { trendingScore } from './casts-ranked.js'
import { type Viewer, visibilityFilter } from './visibility-filter.js'

/** A cast and how far up it stands. */
export interface RankedCast {
  readonly rank: number
  /** Lower-case hex without 0x. */
  readonly hash: string
}

/** Which part of a ranking is wanted, and who looks. */
export interface RankedPageRequest extends Viewer {
  /** The moment that ages are counted from, in Farcaster seconds: the same for all pages of a ranking. */
  readonly ts: number
  /** The last one that was seen; null at the beginning. */
  readonly after: RankedCast | null
  /** Most casts. */
  readonly count: number
}

/** Never more than that are ranked: the newest. */
const MAX_CANDIDATES = 50_000

/** An author's casts that most react and reply to, best first; of equals the latest. */
export async function readPopularCasts(
  db: Database,
  fid: number,
  { count, ...viewer }: { readonly count: number } & Viewer,
): Promise<string[]> {
  const rows = await db<{ hash: string }[]>`
    select encode(c.hash, 'hex') as hash
    from social.casts c
    left join social.cast_counts n on n.hash = c.hash and n.fid = c.fid
    where c.fid = ${fid}::bigint and ${visibilityFilter(db, viewer, 'c.fid')}
    order by coalesce(n.likes + n.recasts + n.replies, 0) desc, c.ts desc, c.hash desc
    limit ${count}
  `
  return rows.map((row) => row.hash)
}

/** What is talked about: everywhere, in a channel or below a URL. */
export interface TrendingSelection {
  readonly seconds: number
  readonly channelId?: string | undefined
  readonly parentUrl?: string | undefined
}

/**
 * Casts that start a thread and that somebody reacted or replied to, by `trendingScore`, best first. It looks at all
 * candidates: 160 ms for the 34,000 of a day, so it is not for every request.
 *
 * @param ts The moment that ages are counted from, in Farcaster seconds.
 */
export async function readTrending(
  db: Database,
  { seconds, channelId, parentUrl }: TrendingSelection,
  { ts, count }: { readonly ts: number; readonly count: number },
): Promise<RankedCast[]> {
  const urls =
    channelId !== undefined
      ? db`select url from channels.urls where channel_id = ${channelId}`
      : parentUrl !== undefined
        ? db`select ${parentUrl}::text as url`
        : null
  const newest = (position: Fragment) => db`
    select c.hash, c.fid, c.ts
    from social.casts c
    where c.ts > ${ts - seconds}::bigint and c.ts <= ${ts}::bigint and ${position}
    order by c.ts desc, c.hash desc
    limit ${MAX_CANDIDATES}`
  // What stands directly below a URL starts a thread, and each URL has an index range of its own.
  const candidates = urls
    ? db`
      select place.* from (${urls}) parent
      cross join lateral (${newest(db`c.parent_url = parent.url`)}) place`
    : newest(db`c.parent_hash is null`)
  return db<RankedCast[]>`
    with candidates as materialized (${candidates}),
    ranked as (
      select ${trendingScore(db, ts)} as rank, c.hash
      from candidates c
      join social.cast_counts n on n.hash = c.hash and n.fid = c.fid
    )
    select rank, encode(hash, 'hex') as hash
    from ranked
    where rank > 0
    order by ranked.rank desc, ranked.hash desc
    limit ${count}
  `
}

/** How far back the feed for a user looks, at how many follows, the latest, and at how much of what each did. */
export const forYouWindow = { seconds: 3 * 86_400, followed: 300, casts: 10, likes: 10, recasts: 5 } as const
/** So many casts that mean most to the followed are ranked. */
const FOR_YOU_CANDIDATES = 1_000

/**
 * Casts that mean something to those whom a user follows:
 *
 *     (4·[followed author] + likes by followed + 2·recasts by followed) · (1 + ln(1 + reactions and replies))
 *       / (hours + 2) ^ 1.5
 *
 * of the last three days, not the user's own. Every bound is one of an index: a user who follows hundreds that do a
 * lot costs 20 ms, where reading all that they did took 650.
 */
export async function readForYouFeed(
  db: Database,
  fid: number,
  pageRequest: RankedPageRequest,
): Promise<RankedCast[]> {
  const { ts } = pageRequest
  const { seconds, followed, casts, likes, recasts } = forYouWindow
  const since = ts - seconds
  const reactions = (type: 1 | 2, count: number) => db`
    (
      select r.target_hash, r.target_fid, r.type::integer, r.ts
      from social.reactions r
      where r.fid = f.fid and r.type = ${db.unsafe(String(type))} and r.ts > ${since}::bigint and r.ts <= ${ts}::bigint
      order by r.ts desc, r.target_hash desc
      limit ${db.unsafe(String(count))}
    )`
  return db<RankedCast[]>`
    with followed as materialized (
      select target_fid as fid from social.follows
      where fid = ${fid}::bigint
      order by ts desc, target_fid desc
      limit ${followed}
    ),
    signs as (
      select sign.*
      from followed f
      cross join lateral (
        select latest.hash, f.fid, 4, latest.ts
        from (
          select c.hash, c.ts, c.parent_hash from social.casts c
          where c.fid = f.fid and c.ts > ${since}::bigint and c.ts <= ${ts}::bigint
          order by c.ts desc, c.hash desc
          limit ${db.unsafe(String(casts))}
        ) latest
        where latest.parent_hash is null
        union all
        ${reactions(1, likes)}
        union all
        ${reactions(2, recasts)}
      ) as sign (hash, fid, weight, ts)
    ),
    affinities as materialized (
      select hash, fid, sum(weight) as affinity
      from signs
      group by hash, fid
      order by affinity desc, max(ts) desc, hash desc
      limit ${FOR_YOU_CANDIDATES}
    ),
    ranked as (
      select
        a.affinity::float8 * (1 + ln(1 + coalesce(n.likes + n.recasts + n.quotes + n.replies, 0))::float8)
          / power((${ts}::bigint - c.ts) / 3600.0::float8 + 2, 1.5::float8) as rank,
        c.hash
      from affinities a
      join social.casts c on c.hash = a.hash and c.fid = a.fid
      left join social.cast_counts n on n.hash = c.hash and n.fid = c.fid
      where c.ts > ${since}::bigint and c.ts <= ${ts}::bigint and c.fid <> ${fid}::bigint
        and ${visibilityFilter(db, pageRequest, 'c.fid')}
    )
    select rank, encode(hash, 'hex') as hash
    from ranked
    where ${isAfterCursor(db, pageRequest)}
    order by ranked.rank desc, ranked.hash desc
    limit ${pageRequest.count}
  `
}

function isAfterCursor(db: Database, { after }: RankedPageRequest) {
  if (!after) return db`true`
  return db`(ranked.rank, ranked.hash) < (${after.rank}::float8, decode(${after.hash}, 'hex'))`
}
