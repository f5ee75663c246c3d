import type { Database } from '../../platform/db/connection.js'
import { channelIdOfUrl, channelUrl } from '../../protocol/channel-uri.js'
import { ReactionType } from '../../protocol/definitions.js'
import { v21Start } from '../../protocol/engine-version.js'
import { reactionTargetKey } from '../message-target.js'
import type { PageOptions } from './page.js'

/**
 * Follows of channels are likes of the channel's URL (docs/protocol.md §7.1.7). They are read from the messages, by
 * two indexes of the likes of tokens.
 */

/**
 * The condition of those indexes, since the planner uses them only for the very same one; and that the like is of a time
 * at which the network ran engine V21. Without a date of V21 no like is a follow.
 */
const isFollow = (db: Database, network: number) =>
  db`target >= '\\x0201026569703135353a'::bytea and target < '\\x0201026569703135353b'::bytea
    and ts >= ${v21Start(network)}::bigint`

/** Bytes of a target before its URL. */
const URL_OFFSET = 3

/** A user who follows a channel. */
export interface ChannelFollowerRow {
  readonly fid: number
  /** Farcaster seconds. */
  readonly followedAt: number
}

function targetOf(network: number, channelId: Buffer): Buffer | null {
  const url = channelUrl(network, channelId)
  return url === null ? null : reactionTargetKey(ReactionType.LIKE, { url })
}

/** Reads followers of a channel on one shard, by fid. */
export async function readChannelFollowers(
  db: Database,
  network: number,
  channelId: Buffer,
  { limit, reverse, after, shard }: PageOptions<number> & { readonly shard: number },
): Promise<ChannelFollowerRow[]> {
  const target = targetOf(network, channelId)
  if (!target) return []
  // Beyond all fids: with `is null or` a generic plan reads all followers before the position again.
  const position = after ?? (reverse ? Number.MAX_SAFE_INTEGER : -1)
  return await db<ChannelFollowerRow[]>`
    select m.fid, m.ts as "followedAt"
    from hub.messages m
    join hub.fids f using (fid)
    where ${isFollow(db, network)}
      and m.target = ${target}::bytea
      and f.shard = ${shard}::smallint
      and m.fid ${reverse ? db`<` : db`>`} ${position}::bigint
    order by m.fid ${reverse ? db`desc` : db`asc`}
    limit ${limit}::bigint
  `
}

/** Counts the followers of a channel. */
export async function countChannelFollowers(
  db: Database,
  network: number,
  channelId: Buffer,
): Promise<number> {
  const target = targetOf(network, channelId)
  if (!target) return 0
  const [row] = await db<{ count: number }[]>`
    select count(*) as count
    from hub.messages
    where ${isFollow(db, network)} and target = ${target}::bytea
  `
  return row!.count
}

/** Reads when a user followed a channel; null if it does not. */
export async function readChannelFollow(
  db: Database,
  network: number,
  fid: number,
  channelId: Buffer,
): Promise<number | null> {
  const target = targetOf(network, channelId)
  if (!target) return null
  const [row] = await db<{ ts: number }[]>`
    select ts
    from hub.messages
    where ${isFollow(db, network)} and fid = ${fid}::bigint and target = ${target}::bytea
  `
  return row?.ts ?? null
}

/** Reads the channels that a user follows, by channel. A user's likes are limited, so all are read and sorted. */
export async function readChannelFollows(
  db: Database,
  network: number,
  fid: number,
  { limit, reverse, after }: PageOptions<Buffer>,
): Promise<{ readonly channelId: Buffer; readonly followedAt: number }[]> {
  const rows = await db<{ target: Buffer; ts: number }[]>`
    select target, ts
    from hub.messages
    where ${isFollow(db, network)} and fid = ${fid}::bigint
  `
  const order = reverse ? -1 : 1
  return rows
    .flatMap(({ target, ts }) => {
      const channelId = channelIdOfUrl(network, target.toString('utf8', URL_OFFSET))
      return channelId ? [{ channelId, followedAt: ts }] : []
    })
    .filter(({ channelId }) => after === null || Buffer.compare(channelId, after) * order > 0)
    .sort((a, b) => Buffer.compare(a.channelId, b.channelId) * order)
    .slice(0, limit)
}
