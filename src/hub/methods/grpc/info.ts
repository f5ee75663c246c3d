import { GetInfoResponse } from '@farcaster/core'
import { cacheHubInfo } from '../../cached-info.js'
import { infoJson } from '../json/info.js'
import type { HubGrpcApi, UnaryMethod } from './grpc-api.js'
import { method } from './method.js'

/** One per server: it remembers what it counted last. */
export function infoMethod({ db, clock, version }: HubGrpcApi): UnaryMethod {
  const hubInfo = cacheHubInfo(db, clock)
  return method('getInfo', async () => {
    const { peer_id: peerId, ...info } = infoJson(await hubInfo(), version, clock())
    // The reference node does not count them by shard either.
    const shardInfos = info.shardInfos.map((shard) => ({ ...shard, numOnchainEvents: 0 }))
    return GetInfoResponse.encode({ ...info, peerId, shardInfos }).finish()
  })
}
