import { farcasterSecondsFromUnixMs } from '../../../protocol/time.js'
import type { HubInfo, ShardInfo } from '../../query/info.js'

/**
 * What `/v1/info` shows (docs/protocol.md §2.1). Shard 0, which orders the network's blocks, comes first in the
 * reference node, and clients skip the first entry: here it is empty, as Plaza has no such shard.
 *
 * @param nowMs Unix milliseconds.
 */
export function infoJson(info: HubInfo, version: string, nowMs: number) {
  const now = farcasterSecondsFromUnixMs(nowMs)
  const total = (count: (shard: ShardInfo) => number) =>
    info.shards.reduce((sum, shard) => sum + count(shard), 0)
  const messages = total((shard) => shard.messages)
  return {
    dbStats: {
      numMessages: messages,
      numFidRegistrations: total((shard) => shard.fids),
      approxSize: info.sizeBytes,
    },
    numShards: info.shards.length,
    shardInfos: [
      shardJson({ shard: 0, height: 0, messages: 0, fids: 0, blockTime: null }, 0, now),
      ...info.shards.map((shard) =>
        shardJson(shard, Math.round((info.sizeBytes * shard.messages) / Math.max(1, messages)), now),
      ),
    ],
    version,
    // There is no network of peers below Plaza, and no next version of an engine that it would switch to.
    peer_id: '',
    nextEngineVersionTimestamp: 0,
  }
}

function shardJson(shard: ShardInfo, sizeBytes: number, now: number) {
  return {
    shardId: shard.shard,
    maxHeight: shard.height,
    numMessages: shard.messages,
    numFidRegistrations: shard.fids,
    // All shards live in the same tables: each is given its share by messages.
    approxSize: sizeBytes,
    // Blocks are made when there is something to put in: this grows while a shard is idle.
    blockDelay: shard.blockTime === null ? 0 : Math.max(0, now - shard.blockTime),
    // A message waits in no pool: a submit is answered when it is merged.
    mempoolSize: 0,
  }
}
