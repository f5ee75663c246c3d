import { cacheTag } from '../../graph/cache/cache-tags.js'
import { type CacheWriter, publishSql } from '../../graph/cache/invalidation.js'
import { MAX_SORT_KEY } from '../../graph/query/user-popularity.js'
import type { Database } from '../../platform/db/connection.js'

/**
 * Makes a user follow a channel from a Unix second on, or ends the follow; no change if it is so already. The counter
 * changes with the list. The channel's row is locked first, as in every change of members and in imports: locks taken
 * in one order cannot deadlock.
 *
 * @param followedAt Null ends the follow.
 * @returns False when the channel does not exist.
 */
export async function setChannelFollow(
  { db, invalidation }: CacheWriter,
  { channelId, fid, followedAt }: { channelId: string; fid: number; followedAt: number | null },
): Promise<boolean> {
  const stale = [cacheTag.channel(channelId), cacheTag.channelsOf(fid)]
  const change =
    followedAt === null
      ? db`delete from channels.follows f using channel where f.channel_id = channel.id and f.fid = ${fid}::bigint`
      : db`
          insert into channels.follows (channel_id, fid, followed_at)
          select id, ${fid}::bigint, ${followedAt}::bigint from channel
          on conflict do nothing`
  const rows = await db`
    with channel as materialized (
      select id from channels.channels where id = ${channelId} for no key update
    ), changed as (
      ${change} returning channel_id
    ), counted as (
      update channels.channels c
      set follower_count = greatest(0, follower_count + ${followedAt === null ? -1 : 1}::integer)
      from changed where c.id = changed.channel_id
      returning c.id
    ), published as (
      select ${publishSql(db, db`tag`)} from counted, unnest(${db.types.texts(stale)}::text[]) as tag
    )
    select id, (select count(*) from published) from channel`
  invalidation.apply({ tags: stale })
  return rows.length > 0
}

/** A channel that a user follows. */
interface FollowedChannel {
  readonly id: string
  /** Unix seconds. */
  readonly followedAt: number
}

/**
 * Reads the channels that a user follows, latest first, after the key `[followedAt, id]` of the previous
 * page.
 */
export async function readFollowedChannels(
  db: Database,
  fid: number,
  limit: number,
  after: readonly [followedAt: number, id: string] | null,
): Promise<FollowedChannel[]> {
  const [followedAt, id] = after ?? [MAX_SORT_KEY, '']
  return await db<FollowedChannel[]>`
    select channel_id as id, followed_at as "followedAt"
    from channels.follows
    where fid = ${fid} and (followed_at, channel_id) < (${followedAt}::bigint, ${id})
    order by followed_at desc, channel_id desc
    limit ${limit}
  `
}
