import type { Hex } from 'viem'
import type { ChainRpc } from '../../hub/chain/chain-rpc.js'
import type { ChainLog, Endpoint } from '../../hub/chain/endpoint.js'
import type { LogHandler } from '../../hub/chain/follower.js'
import type { LogRange } from '../../hub/chain/log-range.js'
import { rereadBlock } from '../../hub/chain/registry-handler.js'
import type { Database, Transaction } from '../../platform/db/connection.js'
import {
  applyChanges,
  type BalanceChange,
  balanceChangesOf,
  deleteFinalChanges,
  recordPendingChanges,
  revertChanges,
  type TrackedToken,
  transferTopic,
} from './balances.js'
import { revertTrades } from './revert-trades.js'
import { readTokens } from './token.js'
import { deleteBalances } from './tracked-tokens.js'
import { insertTrades, type LocatedSwap, readSwap, swapTopics } from './trades.js'

/** Dependencies of a network's live handler. */
export interface LiveHandlerContext {
  readonly db: Database
  readonly rpc: ChainRpc
  /** Publishes trades up to this final block, in the transaction that moves the cursor. */
  readonly onFinal: (db: Transaction, lastFinal: number) => Promise<void>
}

/** Tracked tokens and pools by address in lowercase hex with 0x. */
interface TrackedContracts {
  readonly tokens: ReadonlyMap<Hex, TrackedToken>
  readonly pools: ReadonlyMap<Hex, { readonly token0: number; readonly token1: number }>
}

/**
 * Creates the handler that applies transfers of tracked tokens and stores swaps of their pools, up to the
 * newest block.
 *
 * A new token is applied from the next block on; `backfill.ts` reads what was before.
 */
export function liveHandler({ db, rpc, onFinal }: LiveHandlerContext): LogHandler<Map<Hex, Hex>> {
  const { name: network, confirmations } = rpc.chain
  let tracked: TrackedContracts = { tokens: new Map(), pools: new Map() }
  return {
    name: `${network}/assets`,
    firstBlock: async () =>
      Math.max(0, (await rpc.withEndpoint((endpoint) => endpoint.head())) - confirmations),
    confirmedOnly: false,
    withTimes: true,
    async filter() {
      tracked = await loadTrackedContracts(db, network)
      const addresses = [...new Set([...tracked.tokens.keys(), ...tracked.pools.keys()])]
      return addresses.length === 0 ? null : { addresses, topics: [transferTopic, ...swapTopics] }
    },
    read: (endpoint, { logs }) => readTraders(endpoint, logs.filter(isSwap)),
    async handle(range, traders, commit) {
      const changes = balanceChangesOf(range.logs, tracked.tokens)
      const swaps = locateSwaps(range, tracked, traders)
      const lastFinal = range.head - confirmations
      await commit(async (transaction) => {
        const trackedChanges = await filterTrackedChanges(transaction, tracked, changes)
        await applyChanges(transaction, trackedChanges)
        if (!range.isFinal) await recordPendingChanges(transaction, network, trackedChanges)
        await deleteFinalChanges(transaction, network, lastFinal)
        await insertTrades(transaction, network, swaps)
        await onFinal(transaction, Math.min(lastFinal, range.to))
        await startTracking(transaction, network, range.to + 1)
      })
    },
    async undo(transaction, fromBlock) {
      await revertChanges(transaction, network, fromBlock)
      await revertTrades(transaction, network, fromBlock)
    },
    async recoverFromDeepReorg(transaction, nextBlock) {
      const tokens = await readTokens(transaction, { network, onlyTracked: true })
      const ids = tokens.map(({ id }) => id)
      await deleteBalances(transaction, ids)
      // A trade that is read again has its webhook deliveries already.
      const from = rereadBlock(nextBlock, confirmations)
      await revertTrades(transaction, network, from)
      return from
    },
  }
}

async function loadTrackedContracts(db: Database, network: string): Promise<TrackedContracts> {
  const [tokens, pools] = await Promise.all([
    db<{ id: number; address: Hex; liveFrom: number }[]>`
      select id, '0x' || encode(address, 'hex') as address, live_from as "liveFrom"
      from tokens.tokens
      where network = ${network} and live_from is not null`,
    db<{ address: Hex; token0: number; token1: number }[]>`
      select '0x' || encode(address, 'hex') as address, token0_id as token0, token1_id as token1
      from tokens.pools
      where network = ${network}`,
  ])
  return {
    tokens: new Map(tokens.map(({ address, ...token }) => [address, token])),
    pools: new Map(pools.map(({ address, ...pool }) => [address, pool])),
  }
}

/** Reads the sender of each transaction, who is the trader: pools name the routers in between. */
async function readTraders(endpoint: Endpoint, swaps: readonly ChainLog[]): Promise<Map<Hex, Hex>> {
  const hashes = [...new Set(swaps.map(({ transactionHash }) => transactionHash))]
  const senders = await endpoint.senders(hashes)
  const unknown = hashes.find((_, index) => senders[index] === null)
  if (unknown) throw new Error(`${endpoint.name} does not have transaction ${unknown}`)
  return new Map(hashes.map((hash, index) => [hash, senders[index]!]))
}

function locateSwaps(
  { logs, headers }: LogRange,
  { pools }: TrackedContracts,
  traders: ReadonlyMap<Hex, Hex>,
): LocatedSwap[] {
  return logs.flatMap((log) => {
    const pool = pools.get(log.address)
    const swap = pool && isSwap(log) ? readSwap(log) : null
    if (pool === undefined || swap === null) return []
    const [soldId, boughtId] = swap.soldFirst ? [pool.token0, pool.token1] : [pool.token1, pool.token0]
    return {
      ...swap,
      block: log.blockNumber,
      logIndex: log.logIndex,
      tradedAt: headers.get(log.blockNumber)!.timestamp,
      transactionHash: log.transactionHash,
      pool: log.address,
      trader: traders.get(log.transactionHash)!,
      soldId,
      boughtId,
    }
  })
}

function isSwap({ topics }: ChainLog): boolean {
  return swapTopics.includes(topics[0]!)
}

/** Drops changes of tokens that are no longer tracked or are being reset. */
async function filterTrackedChanges(
  db: Transaction,
  { tokens }: TrackedContracts,
  changes: readonly BalanceChange[],
): Promise<readonly BalanceChange[]> {
  if (changes.length === 0) return []
  const ids = [...new Set(changes.map(({ tokenId }) => tokenId))]
  const rows = await db<{ id: number; liveFrom: number | null }[]>`
    select id, live_from as "liveFrom" from tokens.tokens where id = any (${ids}::integer[]) order by id for share
  `
  const currentLiveFrom = new Map(rows.map(({ id, liveFrom }) => [id, liveFrom]))
  const unchangedIds = new Set(
    [...tokens.values()].flatMap(({ id, liveFrom }) => (currentLiveFrom.get(id) === liveFrom ? [id] : [])),
  )
  return changes.filter(({ tokenId }) => unchangedIds.has(tokenId))
}

async function startTracking(db: Transaction, network: string, nextBlock: number): Promise<void> {
  await db`
    update tokens.tokens
    set live_from = ${nextBlock}::bigint, read_to = least(first_block, ${nextBlock}::bigint)
    where network = ${network} and tracked_by is not null and live_from is null and first_block is not null
  `
}
