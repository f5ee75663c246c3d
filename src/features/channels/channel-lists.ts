import type { Fragment } from '#postgres'
import { MAX_SORT_KEY } from '../../graph/query/user-popularity.js'
import type { Database } from '../../platform/db/connection.js'
import { literal } from '../../platform/db/literal.js'
import { HOUR_SECONDS } from '../../platform/durations.js'
import { windowActivity } from './daily-activity.js'

/** A channel id and its sort key for the cursor. */
export interface ChannelKey {
  readonly id: string
  /** Followers, activity or a timestamp, depending on the order. */
  readonly rank: number
}

/** The last row of the previous page. */
export type ChannelCursor = readonly [rank: number, id: string] | null

/** A page of channels with a rank, highest first. */
function rankedPage(db: Database, ranked: Fragment, limit: number, after: ChannelCursor) {
  const [rank, id] = after ?? [MAX_SORT_KEY, '']
  return db<ChannelKey[]>`
    select id, rank
    from (${ranked}) ranked
    where rank < ${rank}::bigint or (rank = ${rank}::bigint and id > ${id})
    order by rank desc, id
    limit ${limit}`
}

/** Lists channels by follower count, descending. */
export function listChannels(db: Database, limit: number, after: ChannelCursor): Promise<ChannelKey[]> {
  return rankedPage(db, db`select id, follower_count as rank from channels.channels`, limit, after)
}

/** Finds channels by a part of their id or name; prefix matches come first. */
export function searchChannels(
  db: Database,
  q: string,
  limit: number,
  after: ChannelCursor,
): Promise<ChannelKey[]> {
  // Prefix matches get a rank offset of 2^32, which is above every counter.
  const found = db`
    with typed as materialized (select lower(${q}::text) as text)
    select
      id,
      follower_count::bigint
        + case when starts_with(id, text) or starts_with(lower(name), text) then 4294967296 else 0 end as rank
    from typed
    cross join channels.channels
    where strpos(id, text) > 0 or strpos(lower(name), text) > 0`
  return rankedPage(db, found, limit, after)
}

/** Casts of a user that tell in which channels the user is active: most users have fewer. */
const MAX_READ_CASTS = 10_000

/** Lists channels that a user has cast in lately, most recent first; rank is the last cast in Farcaster seconds. */
export function activeChannels(
  db: Database,
  fid: number,
  limit: number,
  after: ChannelCursor,
): Promise<ChannelKey[]> {
  const used = db`
    select u.channel_id as id, max(c.ts) as rank
    from (
      select ts, root_parent_url from social.casts
      where fid = ${fid}
      order by ts desc
      limit ${literal(db, MAX_READ_CASTS)}
    ) c
    join channels.urls u on u.url = c.root_parent_url
    group by u.channel_id`
  return rankedPage(db, used, limit, after)
}

const hoursOf = { '1d': 24, '7d': 7 * 24, '30d': 30 * 24 } as const
export type TimeWindow = keyof typeof hoursOf

/** Channels in a ranking by activity: 40 full pages. */
export const MAX_TRENDING_CHANNELS = 1_000

/**
 * Lists channels by casts in a window, most active first. Hours count whole: the window ends with the current hour. The
 * ranking reads only that window, by days where it can.
 *
 * @param now Farcaster seconds.
 */
export async function trendingChannels(
  db: Database,
  window: TimeWindow,
  now: number,
): Promise<readonly ChannelKey[]> {
  const hour = Math.floor(now / HOUR_SECONDS)
  return await db<ChannelKey[]>`
    select u.channel_id as id, sum(a.casts) as rank
    from (${windowActivity(db, { start: hour - hoursOf[window], end: hour })}) a
    join channels.urls u on u.url = a.url
    group by u.channel_id
    order by sum(a.casts) desc, u.channel_id collate "C"
    limit ${MAX_TRENDING_CHANNELS}`
}

/** The casts of a channel per time window. */
export interface ChannelActivity {
  readonly id: string
  readonly day: number
  readonly week: number
  readonly month: number
}

/**
 * Counts the casts of channels in each window.
 *
 * @param now Farcaster seconds.
 */
export async function countChannelActivity(
  db: Database,
  ids: readonly string[],
  now: number,
): Promise<ReadonlyMap<string, ChannelActivity>> {
  const hour = Math.floor(now / HOUR_SECONDS)
  const castCountIn = (name: TimeWindow) =>
    db`coalesce(sum(a.casts) filter (where a.hour > ${hour - hoursOf[name]}::integer), 0)`
  const rows = await db<ChannelActivity[]>`
    select page.id, activity.day, activity.week, activity.month
    from unnest(${db.types.texts(ids)}::text[]) page (id)
    cross join lateral (
      select ${castCountIn('1d')} as day, ${castCountIn('7d')} as week, ${castCountIn('30d')} as month
      from channels.urls u
      join social.url_activity a on a.url = u.url and a.hour <= ${hour}::integer
        and a.hour > ${hour - hoursOf['30d']}::integer
      where u.channel_id = page.id
    ) activity`
  return new Map(rows.map((row) => [row.id, row]))
}

/**
 * Lists followers of a channel and the Unix second since when, newest first, without users hidden from the viewer and
 * fids that are not registered, which imports may name.
 */
export function channelFollowers(
  db: Database,
  id: string,
  limit: number,
  after: readonly [followedAt: number, fid: number] | null,
  hidden: readonly number[],
): Promise<{ fid: number; followedAt: number }[]> {
  const [followedAt, fid] = after ?? [MAX_SORT_KEY, MAX_SORT_KEY]
  return db<{ fid: number; followedAt: number }[]>`
    select f.fid, f.followed_at as "followedAt"
    from channels.follows f
    where f.channel_id = ${id}
      and (f.followed_at, f.fid) < (${followedAt}::bigint, ${fid}::bigint)
      and f.fid not in (select unnest(${[...hidden]}::bigint[]))
      and exists (select 1 from social.users u where u.fid = f.fid)
    order by f.followed_at desc, f.fid desc
    limit ${limit}`
}

/** Most followers that are named as relevant. */
const MAX_RELEVANT_FOLLOWERS = 200

/** Lists registered followers of a channel that the viewer follows, best known first, without hidden users. */
export async function relevantChannelFollowers(
  db: Database,
  id: string,
  viewerFid: number,
  hidden: readonly number[],
): Promise<number[]> {
  const rows = await db<{ fid: number }[]>`
    select f.fid
    from social.follows mine
    join channels.follows f on f.channel_id = ${id} and f.fid = mine.target_fid
    join social.users u on u.fid = f.fid
    left join social.user_counts n on n.fid = f.fid
    where mine.fid = ${viewerFid} and f.fid not in (select unnest(${[...hidden]}::bigint[]))
    order by coalesce(n.follower_count, 0) desc, f.fid
    limit ${MAX_RELEVANT_FOLLOWERS}`
  return rows.map((row) => row.fid)
}
