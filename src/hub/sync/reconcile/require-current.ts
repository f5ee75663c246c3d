import type { Database } from '../../../platform/db/connection.js'
import { MINUTE_SECONDS } from '../../../platform/durations.js'
import { farcasterSecondsFromUnixMs } from '../../../protocol/time.js'
import type { UpstreamClient } from '../client/upstream-client.js'
import { readInfo, readShards } from '../client/upstreams.js'
import { REWIND_SECONDS, syncedUntil, timeOf } from '../follow/cursors.js'

/** Most seconds since the newest block of a node of the network, which makes one each second. */
const MAX_BLOCK_AGE_SECONDS = 10 * MINUTE_SECONDS

/**
 * Refuses an upstream that is known to be behind: messages that it lacks yet are not extra here. A node of the network has made a
 * block just now in each shard. Another Plaza makes blocks for messages alone: its newest one is not older than what was merged here.
 *
 * @param nowMs Unix milliseconds.
 * @throws Error if it is behind; UpstreamFailure
 */
export async function requireCurrent(
  db: Database,
  client: UpstreamClient,
  nowMs: number,
  signal: AbortSignal,
): Promise<void> {
  const { peerId, shardInfos } = await readInfo(client, signal)
  const shards = await readShards(client, signal)
  const found = await Promise.all(shards.map((shard) => readNewestTime(client, shard, signal)))
  const times = found.filter((time) => time !== null)
  const isEmpty = shardInfos.every(({ maxHeight }) => maxHeight === 0)
  if (peerId !== '') {
    const oldest = farcasterSecondsFromUnixMs(nowMs) - MAX_BLOCK_AGE_SECONDS
    if (times.length === found.length && times.every((time) => time >= oldest)) return
  } else {
    const synced = await syncedUntil(db)
    // An idle log may have lost all its events by age, which says nothing.
    const isBehind = times.length === 0 ? isEmpty : Math.max(...times) < (synced ?? 0) - REWIND_SECONDS
    if (synced === null || !isBehind) return
  }
  throw new Error(
    `${client.address}: it is behind (its newest block is too old, or missing), and what it lacks would be removed here: wait until it has caught up, or set another upstream in UPSTREAM_HUB`,
  )
}

async function readNewestTime(
  client: UpstreamClient,
  shard: number,
  signal: AbortSignal,
): Promise<number | null> {
  const [newest] = await client.events({ shard, from: 0, limit: 1, reverse: true }, signal)
  return newest === undefined ? null : timeOf(client, newest)
}
