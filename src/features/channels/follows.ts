import { staleViewChannel } from '../../graph/cache/cache-follower.js'
import type { Database } from '../../platform/db/connection.js'

/**
 * Makes a user follow a channel, or no longer. What is so already stays as it is. The counter changes with the list,
 * and every process is told that its view of the channel is stale. The channel's row is locked first, as by whoever
 * changes its members or imports it: locks taken in one order cannot wait for each other.
 *
 * @param now Unix seconds.
 * @returns False when there is no such channel.
 */
export async function followChannel(
  db: Database,
  { channelId, fid, now }: { channelId: string; fid: number; now: number },
): Promise<boolean> {
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
    ), told as (
      select pg_notify(${staleViewChannel}, 'channel:' || id) from counted
    )
    select id, (select count(*) from told) from channel
  `
  return rows.length > 0
}

/** The reverse of `followChannel`. */
export async function unfollowChannel(
  db: Database,
  { channelId, fid }: { channelId: string; fid: number },
): Promise<boolean> {
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
    ), told as (
      select pg_notify(${staleViewChannel}, 'channel:' || id) from counted
    )
    select id, (select count(*) from told) from channel
  `
  return rows.length > 0
}
