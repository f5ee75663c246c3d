import type { Database } from '../../db/connection.js'
import { trendingScore } from './casts-ranked.js'
import { shownTo } from './casts-shown-to.js'

/** A cast and how far up it stands. */
export interface RankedCast {
  readonly rank: number
  /** Lower-case hex without 0x. */
  readonly hash: string
}

/** Which part of a ranking is wanted, and who looks. */
export interface RankedPart {
  /** The moment that ages are counted from, in Farcaster seconds: the same for all pages of a ranking. */
  readonly ts: number
  /** The last one that was seen; null at the beginning. */
  readonly after: RankedCast | null
  /** Most casts. */
  readonly count: number
  readonly viewerFid?: number | undefined
}

/** Never more than that are ranked: the newest. */
const MAX_CANDIDATES = 50_000

/** An author's casts that most react and reply to, best first; of equals the latest. */
export async function readPopularCasts(
  db: Database,
  fid: number,
  { count, viewerFid }: { readonly count: number; readonly viewerFid?: number | undefined },
): Promise<string[]> {
  const rows = await db<{ hash: string }[]>`
    select encode(c.hash, 'hex') as hash
    from social.casts c
    left join social.cast_counts n on n.hash = c.hash and n.fid = c.fid
    where c.fid = ${fid}::bigint and ${shownTo(db, viewerFid, 'c.fid')}
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

/** Casts that start a thread and that somebody reacted or replied to, by `trendingScore`. */
export async function readTrendingFeed(
  db: Database,
  { seconds, channelId, parentUrl }: TrendingSelection,
  part: RankedPart,
): Promise<RankedCast[]> {
  const { ts, viewerFid } = part
  const place =
    channelId !== undefined
      ? db`c.root_parent_url = any (array(select url from channels.urls where channel_id = ${channelId}))`
      : parentUrl !== undefined
        ? db`c.root_parent_url = ${parentUrl}`
        : db`true`
  return db<RankedCast[]>`
    with candidates as materialized (
      select c.hash, c.fid, c.ts
      from social.casts c
      where c.ts > ${ts - seconds}::bigint and c.ts <= ${ts}::bigint and ${place}
        and c.parent_hash is null and ${shownTo(db, viewerFid, 'c.fid')}
      order by c.ts desc, c.hash desc
      limit ${MAX_CANDIDATES}
    ),
    ranked as (
      select ${trendingScore(db, ts)} as rank, c.hash
      from candidates c
      join social.cast_counts n on n.hash = c.hash and n.fid = c.fid
    )
    select rank, encode(hash, 'hex') as hash
    from ranked
    where rank > 0 and ${isBehind(db, part)}
    order by ranked.rank desc, ranked.hash desc
    limit ${part.count}
  `
}

/** How far back the feed for a user looks, and how many things that its follows did. */
const FOR_YOU_SECONDS = 3 * 86_400
const FOR_YOU_CASTS = 2_000
const FOR_YOU_REACTIONS = 5_000

/**
 * Casts that mean something to those whom a user follows:
 *
 *     (4·[followed author] + likes by followed + 2·recasts by followed) · (1 + ln(1 + reactions and replies))
 *       / (hours + 2) ^ 1.5
 *
 * of the last three days, not the user's own. What the followed did is read newest first, up to a bound.
 */
export async function readForYouFeed(db: Database, fid: number, part: RankedPart): Promise<RankedCast[]> {
  const { ts, viewerFid } = part
  const since = ts - FOR_YOU_SECONDS
  return db<RankedCast[]>`
    with followed as materialized (
      select target_fid as fid from social.follows where fid = ${fid}::bigint
    ),
    signs as (
      (
        select c.hash, c.fid, 4 as weight
        from social.casts c
        where c.ts > ${since}::bigint and c.ts <= ${ts}::bigint and c.parent_hash is null
          and c.fid in (select f.fid from followed f)
        order by c.ts desc, c.hash desc
        limit ${FOR_YOU_CASTS}
      )
      union all
      (
        select r.target_hash, r.target_fid, r.type
        from followed f
        join social.reactions r on r.fid = f.fid and r.type in (1, 2)
        where r.ts > ${since}::bigint and r.ts <= ${ts}::bigint
        order by r.ts desc
        limit ${FOR_YOU_REACTIONS}
      )
    ),
    affinities as (select hash, fid, sum(weight) as affinity from signs group by hash, fid),
    ranked as (
      select
        a.affinity::float8 * (1 + ln(1 + coalesce(n.likes + n.recasts + n.quotes + n.replies, 0))::float8)
          / power((${ts}::bigint - c.ts) / 3600.0::float8 + 2, 1.5::float8) as rank,
        c.hash
      from affinities a
      join social.casts c on c.hash = a.hash and c.fid = a.fid
      left join social.cast_counts n on n.hash = c.hash and n.fid = c.fid
      where c.ts > ${since}::bigint and c.ts <= ${ts}::bigint and c.fid <> ${fid}::bigint
        and ${shownTo(db, viewerFid, 'c.fid')}
    )
    select rank, encode(hash, 'hex') as hash
    from ranked
    where ${isBehind(db, part)}
    order by ranked.rank desc, ranked.hash desc
    limit ${part.count}
  `
}

function isBehind(db: Database, { after }: RankedPart) {
  if (!after) return db`true`
  return db`(ranked.rank, ranked.hash) < (${after.rank}::float8, decode(${after.hash}, 'hex'))`
}
