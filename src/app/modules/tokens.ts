import type { Assets } from '../../features/tokens/asked-tokens.js'
import { liveHandler } from '../../features/tokens/live-handler.js'
import { startReadingPasts } from '../../features/tokens/read-pasts.js'
import type { Log } from '../../platform/log/log.js'
import type { Config } from '../config/config.js'
import type { OpenChain } from './chain.js'
import { createTradeTeller } from './trades.js'

/** Owners and trades of tokens, as the server follows them. */
export interface OpenAssets {
  readonly assets: Assets
  /** Finishes the steps that are under way. */
  close(): Promise<void>
}

/** Follows the assets of all networks that are set up; without any, there are none. */
export function openAssets(config: Config, chain: OpenChain | null, log: Log): OpenAssets {
  if (chain === null) return { assets: { rpcs: new Map(), maxAsked: 0 }, close: async () => {} }
  const { db, rpcs } = chain
  const tell = createTradeTeller(Date.now)
  const stops = [...rpcs.values()].map((rpc) => {
    const { name } = rpc.network
    chain.follow(rpc, liveHandler({ db, rpc, onFinal: (transaction, last) => tell(transaction, name, last) }))
    return startReadingPasts({ db, rpc, log, pollMs: config.chainPollMs, onProgress: chain.onProgress })
  })
  return {
    assets: { rpcs, maxAsked: config.chainTokensOnRequest },
    async close() {
      await Promise.all(stops.map((stop) => stop()))
    },
  }
}
