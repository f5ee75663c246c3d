import { cacheTag } from '../../graph/cache/cache-tags.js'
import { type CacheWriter, publishSql } from '../../graph/cache/invalidation.js'

/**
 * Makes a user follow a channel; no change if it follows already. The counter changes with the list. The channel's row
 * is locked first, as in every change of members and in imports: locks taken in one order cannot deadlock.
 *
 * @param now Unix seconds.
 * @returns False when the channel does not exist.
 */
export async function followChannel(
  { db, invalidation }: CacheWriter,
  { channelId, fid, now }: { channelId: string; fid: number; now: number },
): Promise<boolean> {
  const stale = cacheTag.channel(channelId)
  const rows = await db`
    with channel as materialized (
      select id from channels.channels where id = ${channelId} for no key update
    ), added as (
      insert into channels.follows (channel_id, fid, followed_at)
      select id, ${fid}::bigint, ${now}::bigint from channel
      on conflict do nothing
      returning channel_id
    ), counted as (
      update channels.channels c set follower_count = follower_count + 1
      from added where c.id = added.channel_id
      returning c.id
    ), published as (
      select ${publishSql(db, stale)} from counted
    )
    select id, (select count(*) from published) from channel
  `
  invalidation.apply({ tags: [stale] })
  return rows.length > 0
}

/** Ends a follow; otherwise as `followChannel`. */
export async function unfollowChannel(
  { db, invalidation }: CacheWriter,
  { channelId, fid }: { channelId: string; fid: number },
): Promise<boolean> {
  const stale = cacheTag.channel(channelId)
  const rows = await db`
    with channel as materialized (
      select id from channels.channels where id = ${channelId} for no key update
    ), removed as (
      delete from channels.follows f
      using channel
      where f.channel_id = channel.id and f.fid = ${fid}::bigint
      returning f.channel_id
    ), counted as (
      update channels.channels c set follower_count = greatest(0, follower_count - 1)
      from removed where c.id = removed.channel_id
      returning c.id
    ), published as (
      select ${publishSql(db, stale)} from counted
    )
    select id, (select count(*) from published) from channel
  `
  invalidation.apply({ tags: [stale] })
  return rows.length > 0
}
