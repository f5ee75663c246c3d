import { randomUUID } from 'node:crypto'
import type { Address } from 'viem'
import type { TestChain } from '../../../../test/chain/test-chain.js'
import { ChainRpc } from '../../../hub/chain/chain-rpc.js'
import { readChainSettings } from '../../../hub/chain/chain-settings.js'
import type { ChainName } from '../../../hub/chain/chains.js'
import { ChainFollower } from '../../../hub/chain/follower.js'
import type { Database, Transaction } from '../../../platform/db/connection.js'
import { silentLog } from '../../../platform/log/log.js'
import { bytesOfHex } from '../../../protocol/bytes.js'
import { backfillTokens } from '../backfill.js'
import { liveHandler } from '../live-handler.js'
import type { Token } from '../token.js'
import { trackPool, trackToken } from '../tracked-tokens.js'

/** Token tracking on a test chain, stepped by the test. */
export interface FollowedTokens {
  readonly rpc: ChainRpc
  /** Tracks a token's owners and its pools' swaps. */
  watch(token: Address, pools?: readonly Address[]): Promise<Token>
  /** Runs one step of the live handler and the backfill with new instances, so no state is kept in memory. */
  step(): Promise<void>
  /** Steps until nothing is new and all final history is backfilled. */
  catchUp(): Promise<void>
}

export interface FollowedTokensOptions {
  readonly db: Database
  /** A pool of one connection, for a test of several processes. */
  readonly locks?: Database
  readonly chain: TestChain
  readonly rpcUrls?: readonly string[]
  readonly confirmations: number
  readonly network?: ChainName
  readonly onFinal?: (db: Transaction, lastFinal: number) => Promise<void>
}

const MAX_STEPS = 200

/** Tracks a test chain as the network `base`. */
export function followTokens(options: FollowedTokensOptions): FollowedTokens {
  const { db, chain, confirmations, network = 'base', onFinal = async () => {} } = options
  const { rpcUrls = [chain.url], locks = db } = options
  const settings = readChainSettings({
    rpcUrls: { [network]: rpcUrls.join(',') },
    ids: `${network}=10`,
    confirmations,
  })
  const rpc = new ChainRpc(settings.chains.get(network)!, { log: silentLog, clock: Date.now })
  const holder = { id: randomUUID(), locks }
  const createLiveFollower = () => new ChainFollower(liveHandler({ db, rpc, onFinal }), { db, rpc, holder })
  const context = { db, rpc, holder, log: silentLog }

  async function liveStep() {
    const follower = createLiveFollower()
    return await follower.step().finally(() => follower.release())
  }

  return {
    rpc,
    async watch(address, pools = []) {
      const token = await trackToken(db, rpc, { address: bytesOfHex(address), trackedBy: 'operator' })
      if ('message' in token) throw new Error(token.message)
      for (const pool of pools) await trackPool(db, rpc, bytesOfHex(pool))
      return token
    },
    async step() {
      await liveStep()
      await backfillTokens(context)
    },
    async catchUp() {
      for (let steps = 0; steps < MAX_STEPS; steps += 1) {
        const outcome = await liveStep()
        const hasProgress = await backfillTokens(context)
        if (outcome === 'caughtUp' && !hasProgress) return
      }
      throw new Error(`not caught up after ${MAX_STEPS} steps`)
    },
  }
}
