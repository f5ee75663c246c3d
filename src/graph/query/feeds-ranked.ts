import type { Fragment } from '#postgres'
import type { Database } from '../../platform/db/connection.js'
import { literal } from '../../platform/db/literal.js'
import { ReactionType } from '../../protocol/definitions.js'
import { isHiddenByModerators } from './feeds-by-parent.js'
import {
  affinityWeights,
  forYouWindow,
  MAX_FOR_YOU_CANDIDATES,
  MAX_TRENDING_CANDIDATES,
  type RankedCast,
} from './ranks.js'
import { type Viewer, visibilityFilter } from './visibility-filter.js'

/** The page of a ranking, and its viewer. */
export interface RankedPageRequest extends Viewer {
  /** The time that ages are relative to, in Farcaster seconds: the same for all pages of a ranking. */
  readonly ts: number
  /** The last cast of the previous page; null on the first page. */
  readonly after: RankedCast | null
  /** The maximum number of casts. */
  readonly count: number
}

/** The scope of a trending feed: everywhere, a channel or a URL. */
export interface TrendingSelection {
  readonly seconds: number
  readonly channelId?: string | undefined
  readonly parentUrl?: string | undefined
}

/**
 * Reads casts that start a thread and have a reaction or reply, by `trendingRank`, best first. It ranks all
 * candidates, 160 ms for the 34,000 of a day: too slow for every request.
 *
 * @param ts The time that ages are relative to, in Farcaster seconds.
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
    limit ${MAX_TRENDING_CANDIDATES}`
  // A cast directly below a URL starts a thread, and each URL has its own index range.
  const candidates = urls
    ? db`
      select newest.* from (${urls}) parent
      cross join lateral (${newest(
        channelId === undefined
          ? db`c.parent_url = parent.url`
          : db`c.parent_url = parent.url and not ${isHiddenByModerators(db, db`parent.url`)}`,
      )}) newest`
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

/**
 * Reads casts that users whom a user follows wrote or reacted to, by `forYouRank`, where the affinity is
 *
 *     4·[followed author] + likes by followed + 2·recasts by followed
 *
 * over the last three days, without the user's own and without followed users who are hidden from the viewer. Every limit is a range
 * of an index: a user who follows hundreds of very active users costs 20 ms; reading all of their activity takes 650 ms.
 */
export async function readForYouFeed(
  db: Database,
  fid: number,
  pageRequest: RankedPageRequest,
): Promise<RankedCast[]> {
  const { ts } = pageRequest
  const { seconds, followed, casts, likes, recasts } = forYouWindow
  const since = ts - seconds
  const reactions = (type: ReactionType, weight: number, count: number) => db`
    (
      select r.target_hash, r.target_fid, ${weight}::integer, r.ts
      from social.reactions r
      where r.fid = f.fid and r.type = ${literal(db, type)} and r.ts > ${since}::bigint and r.ts <= ${ts}::bigint
      order by r.ts desc, r.target_hash desc
      limit ${literal(db, count)}
    )`
  return db<RankedCast[]>`
    with followed as materialized (
      select f.target_fid as fid from social.follows f
      where f.fid = ${fid}::bigint and ${visibilityFilter(db, pageRequest, 'f.target_fid')}
      order by f.ts desc, f.target_fid desc
      limit ${followed}
    ),
    signals as (
      select signal.*
      from followed f
      cross join lateral (
        select latest.hash, f.fid, ${affinityWeights.cast}::integer, latest.ts
        from (
          select c.hash, c.ts, c.parent_hash from social.casts c
          where c.fid = f.fid and c.ts > ${since}::bigint and c.ts <= ${ts}::bigint
          order by c.ts desc, c.hash desc
          limit ${literal(db, casts)}
        ) latest
        where latest.parent_hash is null
        union all
        ${reactions(ReactionType.LIKE, affinityWeights.like, likes)}
        union all
        ${reactions(ReactionType.RECAST, affinityWeights.recast, recasts)}
      ) as signal (hash, fid, weight, ts)
    ),
    affinities as materialized (
      select hash, fid, sum(weight) as affinity
      from signals
      group by hash, fid
      order by affinity desc, max(ts) desc, hash desc
      limit ${MAX_FOR_YOU_CANDIDATES}
    ),
    ranked as (
      select
        floor(
          a.affinity::float8 * (1 + ln(1 + coalesce(n.likes + n.recasts + n.quotes + n.replies, 0))::float8)
            / ${decay(db, db`${ts}::bigint - c.ts`)} * 1e9::float8
        ) / 1e9::float8 as rank,
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

/** The orders of a bulk request for casts. */
export type CastOrder = 'trending' | 'likes' | 'recasts' | 'replies' | 'recent'

/**
 * `trendingRank` as SQL over `c` (casts) and `n` (its counters, or null).
 *
 * @param ts The time that ages are relative to, in Farcaster seconds.
 */
function trendingScore(db: Database, ts: number): Fragment {
  return db`(
    coalesce(n.likes + 2 * n.recasts + 2 * n.quotes + 3 * n.replies, 0)
      / ${decay(db, db`greatest(${ts}::bigint - c.ts, 0)`)}
  )`
}

/** `(hours + 2) ^ 1.5` as SQL, as `ranks.ts` computes it. */
function decay(db: Database, age: Fragment): Fragment {
  const hours = db`((${age}) / 3600.0::float8 + 2)`
  return db`(${hours} * sqrt(${hours}))`
}

/**
 * Sorts casts, best first. Casts that are not stored are left out.
 *
 * @param hashes Lowercase hex without 0x.
 * @param ts The current time in Farcaster seconds.
 */
export async function sortCasts(
  db: Database,
  hashes: readonly string[],
  order: CastOrder,
  ts: number,
): Promise<string[]> {
  const rank = {
    trending: trendingScore(db, ts),
    likes: db`coalesce(n.likes, 0)`,
    recasts: db`coalesce(n.recasts, 0)`,
    replies: db`coalesce(n.replies, 0)`,
    recent: db`c.ts`,
  }[order]
  const rows = await db<{ hash: string }[]>`
    select encode(c.hash, 'hex') as hash
    from unnest(${db.types.texts(hashes)}::text[]) as requested (hash)
    join social.casts c on c.hash = decode(requested.hash, 'hex')
    left join social.cast_counts n on n.hash = c.hash and n.fid = c.fid
    order by ${rank} desc, c.ts desc, c.hash desc
  `
  return rows.map((row) => row.hash)
}
