import { GetInfoResponse } from '../../protocol/proto/generated/request_response.js'
import { farcasterSecondsFromUnixMs } from '../../protocol/time.js'
import type { HubInfo, ShardInfo } from '../query/info.js'
import { httpOnly } from './fields.js'
import { parseFlag } from './http/parameters.js'
import { type Reply, readMethod } from './hub-method.js'

/** Whether to show the statistics. Hubs before the reference node showed them on request only. */
const showsStats = httpOnly(
  { parameters: ['dbstats'], fromQuery: (query) => query.read(parseFlag, 'dbstats') ?? true },
  true,
)

const info: Reply<{ readonly info: ReturnType<typeof describeHub>; readonly showsStats: boolean }> = {
  json: ({ info: { dbStats, ...rest }, showsStats: shows }) => (shows ? { dbStats, ...rest } : rest),
  protobuf({ info: { peer_id: peerId, ...rest } }) {
    // The reference node does not count onchain events by shard either.
    const shardInfos = rest.shardInfos.map((shard) => ({ ...shard, numOnchainEvents: 0 }))
    return GetInfoResponse.encode({ ...rest, peerId, shardInfos }).finish()
  },
}

export const infoMethods = [
  readMethod({
    http: { path: '/info', failure: 'Failed to get info' },
    grpc: 'getInfo',
    request: { showsStats },
    reply: info,
    handle: async (request, { hubInfo, version, clock }) => ({
      ...request,
      info: describeHub(await hubInfo(), version, clock()),
    }),
  }),
]

/**
 * The contents of the hub (docs/protocol.md §2.1). The reference node lists shard 0 first, which orders the
 * network's blocks, and clients skip the first entry. Plaza has no such shard, so this entry is empty.
 *
 * @param nowMs Unix milliseconds.
 */
function describeHub(hub: HubInfo, version: string, nowMs: number) {
  const now = farcasterSecondsFromUnixMs(nowMs)
  const total = (count: (shard: ShardInfo) => number) =>
    hub.shards.reduce((sum, shard) => sum + count(shard), 0)
  const messages = total((shard) => shard.messages)
  return {
    dbStats: {
      numMessages: messages,
      numFidRegistrations: total((shard) => shard.fids),
      approxSize: hub.sizeBytes,
    },
    numShards: hub.shards.length,
    shardInfos: [
      describeShard({ shard: 0, height: 0, messages: 0, fids: 0, blockTime: null }, 0, now),
      ...hub.shards.map((shard) =>
        describeShard(shard, Math.round((hub.sizeBytes * shard.messages) / Math.max(1, messages)), now),
      ),
    ],
    version,
    // Plaza has no peers, and its engine switches to no next version at a set time.
    peer_id: '',
    nextEngineVersionTimestamp: 0,
  }
}

function describeShard(shard: ShardInfo, sizeBytes: number, now: number) {
  return {
    shardId: shard.shard,
    maxHeight: shard.height,
    numMessages: shard.messages,
    numFidRegistrations: shard.fids,
    // All shards share the same tables: each gets its share of the size by messages.
    approxSize: sizeBytes,
    // A block is made when it has something to hold, so this grows while a shard is idle.
    blockDelay: shard.blockTime === null ? 0 : Math.max(0, now - shard.blockTime),
    // Messages do not wait in a pool: submitting answers after the merge.
    mempoolSize: 0,
  }
}
