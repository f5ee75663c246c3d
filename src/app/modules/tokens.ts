import { startBackfill } from '../../features/tokens/backfill.js'
import { liveHandler } from '../../features/tokens/live-handler.js'
import type { Assets } from '../../features/tokens/on-demand-tokens.js'
import type { Log } from '../../platform/log/log.js'
import type { Config } from '../config/config.js'
import type { OpenChain } from './chain.js'
import { createTradePublisher } from './trade-publisher.js'

/** Owners and trades of tokens, as the server follows them. */
export interface OpenAssets {
  readonly assets: Assets
  /** Finishes the steps that are under way. */
  close(): Promise<void>
}

/** Follows the assets of all networks that are set up; without any, there are none. */
export function openAssets(config: Config, chain: OpenChain | null, log: Log): OpenAssets {
  if (chain === null) return { assets: { rpcs: new Map(), maxTrackedTokens: 0 }, close: async () => {} }
  const { db, rpcs } = chain
  const publishTrades = createTradePublisher(Date.now)
  const stops = [...rpcs.values()].map((rpc) => {
    const { name } = rpc.network
    chain.follow(
      rpc,
      liveHandler({ db, rpc, onFinal: (transaction, last) => publishTrades(transaction, name, last) }),
    )
    return startBackfill({ db, rpc, log, pollMs: config.chainPollMs, onProgress: chain.onProgress })
  })
  return {
    assets: { rpcs, maxTrackedTokens: config.maxTrackedTokens },
    async close() {
      await Promise.all(stops.map((stop) => stop()))
    },
  }
}
