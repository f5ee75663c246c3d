import { startBackfill } from '../../features/tokens/backfill.js'
import { liveHandler } from '../../features/tokens/live-handler.js'
import { reportTokensOverLimit } from '../../features/tokens/on-demand-tokens.js'
import { countHolders } from '../../features/tokens/token-market.js'
import { createTradePublisher } from '../../features/webhooks/events/trade-publisher.js'
import type { Module } from '../module.js'

/** A token with a few thousand transfers is indexed in this time; clients give up after about ten seconds. */
const INDEX_WAIT_MS = 4_000
const HOLDER_COUNT_INTERVAL_MS = 600_000

/**
 * Owners and trades of tokens on the chains that are set up. A process that syncs follows them; the API reads them and
 * asks RPC endpoints for what a request needs.
 */
export const tokensModule: Module = {
  name: 'tokens',
  runsIn: ['api', 'sync'],
  async start(app) {
    const { config, roles, log, clock } = app
    const chains = app.service('chains')
    if (chains === null) return { services: { tokens: { rpcs: new Map(), maxTrackedTokens: 0 } } }
    const { db, rpcs, holder, onProgress } = chains
    const services = {
      tokens: { rpcs, maxTrackedTokens: config.maxTrackedTokens, indexWaitMs: INDEX_WAIT_MS },
    }
    if (!roles.has('sync')) return { services }
    await reportTokensOverLimit(db, config.maxTrackedTokens, log)
    const publishTrades = createTradePublisher(clock)
    const stops = [...rpcs.values()].map((rpc) => {
      const { name } = rpc.chain
      // In the transaction that moves the follower's cursor: each trade is published once.
      chains.follow(
        rpc,
        liveHandler({ db, rpc, onFinal: (transaction, last) => publishTrades(transaction, name, last) }),
      )
      return startBackfill({ db, rpc, holder, log, onProgress }, config.chainPollMs)
    })
    return {
      services,
      jobs: [{ name: 'holders of tokens', everyMs: HOLDER_COUNT_INTERVAL_MS, run: () => countHolders(db) }],
      stop: async () => {
        await Promise.all(stops.map((stop) => stop()))
      },
    }
  },
}
