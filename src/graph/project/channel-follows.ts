import { readNetwork } from '../../hub/network.js'
import type { Queryable, Transaction } from '../../platform/db/connection.js'
import { channelIdOfUrl, channelUrl } from '../../protocol/channel-uri.js'
import { MessageType, ReactionType } from '../../protocol/definitions.js'
import { isV21, v21Start } from '../../protocol/engine-version.js'
import type { SignedMessage } from '../../protocol/message.js'
import { unixSecondsFromFarcasterSeconds } from '../../protocol/time.js'
import type { NetChanges } from './net-changes.js'

/** A like that follows a channel. */
interface FollowMessage {
  readonly channelId: Buffer
  readonly message: SignedMessage
}

/** The likes of a batch that follow channels, or did. */
export interface FollowChanges {
  readonly added: readonly FollowMessage[]
  readonly removed: readonly FollowMessage[]
}

/** Finds the likes that follow channels among the changes. */
export function followChanges({ added, removed }: NetChanges): FollowChanges {
  return { added: added.flatMap(followOf), removed: removed.flatMap(followOf) }
}

/**
 * Returns the channel that a like follows; null for other reactions. A like of another spelling of the URL is an ordinary
 * reaction.
 */
export function followedChannel({ data }: SignedMessage): Buffer | null {
  const { type, targetUrl } = data.reactionBody ?? {}
  if (data.type !== MessageType.REACTION_ADD || type !== ReactionType.LIKE || !targetUrl) return null
  return isV21(data.network, data.timestamp) ? channelIdOfUrl(data.network, targetUrl) : null
}

function followOf(message: SignedMessage): FollowMessage[] {
  const channelId = followedChannel(message)
  return channelId === null ? [] : [{ channelId, message }]
}

/**
 * Writes follows by messages. One replaces an imported follow of the same user, so that taking the like back
 * ends it.
 */
export async function projectChannelFollows(
  db: Transaction,
  { added, removed }: FollowChanges,
): Promise<void> {
  if (removed.length > 0) {
    await db`
      with ended as (
        delete from channels.follows f
        using ${followTable(db, removed)}
        join channels.channels c on c.protocol_id = a.protocol_id
        where f.channel_id = c.id and f.fid = a.fid and f.by_message
        returning f.channel_id
      )
      ${countFollowers(db, db`select channel_id, -count(*)::integer as change from ended group by channel_id`)}
    `
  }
  if (added.length > 0) {
    await db`
      with begun as (
        insert into channels.follows (channel_id, fid, followed_at, by_message)
        select c.id, a.fid, max(a.followed_at), true
        from ${followTable(db, added)}
        join channels.channels c on c.protocol_id = a.protocol_id
        group by c.id, a.fid
        on conflict (channel_id, fid) do update set followed_at = excluded.followed_at, by_message = true
        returning channel_id, xmax = 0 as is_new
      )
      ${countFollowers(
        db,
        db`select channel_id, count(*)::integer as change from begun where is_new group by channel_id`,
      )}
    `
  }
}

function followTable(db: Transaction, follows: readonly FollowMessage[]) {
  return db`unnest(
    ${db.types.byteas(follows.map(({ channelId }) => channelId))}::bytea[],
    ${follows.map(({ message }) => message.data.fid)}::bigint[],
    ${follows.map(({ message }) => unixSecondsFromFarcasterSeconds(message.data.timestamp))}::bigint[]
  ) as a (protocol_id, fid, followed_at)`
}

function countFollowers(db: Queryable, changes: ReturnType<Queryable>) {
  return db`
    update channels.channels c
    set follower_count = greatest(0, c.follower_count + changed.change)
    from (${changes}) changed
    where c.id = changed.channel_id
  `
}

/** Writes all follows of these channels by messages again, from the likes that the read model has. */
export async function rebuildChannelFollows(db: Transaction, channels: readonly Buffer[]): Promise<void> {
  const network = await readNetwork(db)
  const urls = channels.flatMap((channelId) => channelUrl(network, channelId) ?? [])
  if (urls.length === 0) return
  await db`
    with channel as materialized (
      select c.id, likes.url
      from unnest(${db.types.byteas(channels)}::bytea[], ${db.types.texts(urls)}::text[]) as likes (protocol_id, url)
      join channels.channels c on c.protocol_id = likes.protocol_id
    ), follower as materialized (
      select channel.id, r.fid, r.ts + ${unixSecondsFromFarcasterSeconds(0)}::bigint as followed_at
      from channel
      join social.url_reactions r on r.url = channel.url and r.type = ${ReactionType.LIKE}::smallint
        and r.ts >= ${v21Start(network)}::bigint
    ), ended as (
      delete from channels.follows f
      using channel
      where f.channel_id = channel.id and f.by_message
        and not exists (select from follower where follower.id = f.channel_id and follower.fid = f.fid)
      returning f.channel_id
    ), begun as (
      insert into channels.follows (channel_id, fid, followed_at, by_message)
      select id, fid, followed_at, true from follower
      -- A conflict would lock the row, which writes it: a renewal finds hundreds of thousands of follows unchanged.
      where not exists (
        select from channels.follows f
        where f.channel_id = follower.id and f.fid = follower.fid
          and f.by_message and f.followed_at = follower.followed_at
      )
      on conflict (channel_id, fid) do update set followed_at = excluded.followed_at, by_message = true
      returning channel_id, xmax = 0 as is_new
    )
    ${countFollowers(
      db,
      db`
        select channel_id, sum(change)::integer as change
        from (
          select channel_id, -1 as change from ended
          union all
          select channel_id, 1 from begun where is_new
        ) each
        group by channel_id
      `,
    )}
  `
}
