import { cacheTag } from '../../graph/cache/cache-tags.js'
import { type CacheWriter, publishSql } from '../../graph/cache/invalidation.js'
import { MAX_SORT_KEY } from '../../graph/query/user-popularity.js'
import type { Database, Transaction } from '../../platform/db/connection.js'
import { insertOverride } from './overrides.js'

interface ChannelFollow {
  readonly channelId: string
  readonly fid: number
  /** Unix seconds. Null ends the follow. */
  readonly followedAt: number | null
}

/**
 * Makes a user follow a channel from a Unix second on, or ends the follow; no change if it is so already. The counter
 * changes with the list, and scheduled imports leave the follow of this user from now on. The channel's row is locked
 * first, as in every change of members and in imports: locks taken in one order cannot deadlock. The change is a
 * statement after the lock, so that it sees what an import before it has committed.
 *
 * @returns False when the channel does not exist.
 */
export async function setChannelFollow(
  { db, invalidation }: CacheWriter,
  follow: ChannelFollow,
): Promise<boolean> {
  const { channelId, fid } = follow
  const stale = [cacheTag.channel(channelId), cacheTag.channelsOf(fid)]
  const exists = await db.begin(async (transaction) => {
    const locked = await transaction`
      select from channels.channels where id = ${channelId} for no key update`
    if (locked.length > 0) await writeFollow(transaction, follow, stale)
    return locked.length > 0
  })
  invalidation.apply({ tags: stale })
  return exists
}

async function writeFollow(
  db: Transaction,
  { channelId, fid, followedAt }: ChannelFollow,
  stale: readonly string[],
): Promise<void> {
  const change =
    followedAt === null
      ? db`delete from channels.follows where channel_id = ${channelId} and fid = ${fid}::bigint`
      : db`
          insert into channels.follows (channel_id, fid, followed_at)
          values (${channelId}, ${fid}::bigint, ${followedAt}::bigint)
          on conflict do nothing`
  const difference = followedAt === null ? -1 : 1
  await db`
    with changed as (
      ${change} returning channel_id
    ), overridden as (
      ${insertOverride(db, channelId, 'follow', fid)}
    ), counted as (
      update channels.channels c
      set follower_count = greatest(0, c.follower_count + ${difference}::integer),
          local_followers = c.local_followers + ${difference}::integer
      from changed where c.id = changed.channel_id
      returning c.id
    )
    select ${publishSql(db, db`tag`)} from counted, unnest(${db.types.texts(stale)}::text[]) as tag`
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
