import type { Database } from '../../platform/db/connection.js'
import { MAX_SORT_KEY } from './user-popularity.js'

/** A channel that a user follows. */
export interface FollowedChannel {
  readonly id: string
  /** Unix seconds. */
  readonly followedAt: number
}

/** Channels that a user follows, the last followed first, behind the key `[followedAt, id]` of the page before. */
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
