import { encodeFunctionData, erc20Abi, formatUnits, type Hex } from 'viem'
import { batchCall } from '../../hub/chain/batch-call.js'
import type { ChainRpc } from '../../hub/chain/chain-rpc.js'
import type { Database } from '../../platform/db/connection.js'
import { PlazaError } from '../../platform/errors.js'
import { checksummedAddress, decimalString } from './present-token.js'
import type { TokenMetadata } from './schema/onchain-token.js'
import { readTokens, type Token } from './token.js'
import { readManyTokenDetails, type TokenDetails } from './token-details.js'
import {
  type PoolSide,
  readPoolSides,
  readTokenStats,
  readTradedWindows,
  type TokenStats,
  type TradedWindow,
} from './token-market.js'

interface MetadataContext {
  readonly db: Database
  readonly rpc: ChainRpc
  /** Unix milliseconds. */
  readonly clock: () => number
}

/** Market of a token in the index. */
interface Market {
  readonly stats: readonly TokenStats[]
  readonly windows: readonly TradedWindow[]
  /** Dollars in the pools, by token id. */
  readonly liquidity: ReadonlyMap<number, number>
}

/**
 * Reads tokens of a network in the order of the addresses (20 bytes): from their contracts, and what the index
 * knows of their market.
 *
 * @returns null for an address without an ERC-20 token.
 */
export async function readTokenMetadata(
  { db, rpc, clock }: MetadataContext,
  addresses: readonly Buffer[],
): Promise<(TokenMetadata | null)[]> {
  const { name: network } = rpc.chain
  const tokens = await readTokens(db, { network, addresses })
  const tokenIds = tokens.map(({ id }) => id)
  const now = Math.floor(clock() / 1000)
  const [details, stats, windows, sides] = await Promise.all([
    fromChain(rpc, (endpoint) =>
      readManyTokenDetails(
        endpoint,
        addresses.map((each): Hex => `0x${each.toString('hex')}`),
      ),
    ),
    readTokenStats(db, tokenIds),
    readTradedWindows(db, { tokenIds, windowHours: [6, 24], now }),
    readPoolSides(db, tokenIds),
  ])
  const market = { stats, windows, liquidity: await readLiquidity(rpc, sides) }
  return addresses.map((address, index) => {
    const found = details[index]
    if (!found) return null
    const token = tokens.find((each) => each.address.equals(address))
    return {
      address: checksummedAddress(address),
      network,
      name: found.name,
      symbol: found.symbol,
      decimals: found.decimals,
      total_supply: String(found.totalSupply),
      image_url: token?.logo ?? null,
      description: null,
      ...marketMembers(token, found, market),
    }
  })
}

/**
 * Runs a read of a chain.
 *
 * @throws PlazaError `unavailable.other_side` when no RPC answers.
 */
export async function fromChain<T>(
  rpc: ChainRpc,
  read: Parameters<typeof rpc.withEndpoint<T>>[0],
): Promise<T> {
  return await rpc.withEndpoint(read).catch((cause: unknown) => {
    throw new PlazaError('unavailable.other_side', `${rpc.chain.name} does not answer`, { cause })
  })
}

/** Returns an RPC all of whose reads fail as those of `fromChain`: otherwise a lost connection is taken for the database's. */
export function reportedRpc(rpc: ChainRpc): Pick<ChainRpc, 'chain' | 'withEndpoint'> {
  return { chain: rpc.chain, withEndpoint: (read) => fromChain(rpc, read) }
}

/** Returns the dollars in the pools of each token. */
async function readLiquidity(rpc: ChainRpc, sides: readonly PoolSide[]): Promise<Map<number, number>> {
  const liquidity = new Map<number, number>()
  if (sides.length === 0) return liquidity
  const reserves = await fromChain(rpc, (endpoint) =>
    batchCall(
      endpoint,
      sides.map(({ side, pool }) => ({
        to: side,
        data: encodeFunctionData({ abi: erc20Abi, functionName: 'balanceOf', args: [pool] }),
      })),
    ),
  )
  for (const [index, { tokenId, decimals, priceUsd }] of sides.entries()) {
    const reserve = Number(formatUnits(BigInt(reserves[index] ?? 0), decimals))
    liquidity.set(tokenId, (liquidity.get(tokenId) ?? 0) + reserve * priceUsd)
  }
  return liquidity
}

type MarketMembers = Omit<
  TokenMetadata,
  'address' | 'network' | 'name' | 'symbol' | 'decimals' | 'total_supply' | 'image_url' | 'description'
>

/** The circulating supply is not on the chain, so `market_cap` is null. */
function marketMembers(
  token: Token | undefined,
  { decimals, totalSupply }: TokenDetails,
  { stats, windows, liquidity }: Market,
): MarketMembers {
  const price = token?.priceUsd ?? null
  const { holders = null, pricedAt = null } = stats.find(({ tokenId }) => tokenId === token?.id) ?? {}
  const traded = (hours: number) => windows.find((each) => each.tokenId === token?.id && each.hours === hours)
  const hasPools = token !== undefined && liquidity.has(token.id)
  const volume = (hours: number) => (hasPools ? decimalString(traded(hours)?.volume ?? 0) : null)
  const changePercent = (hours: number) => {
    const before = traded(hours)?.priceBefore
    return price === null || !before ? null : (price / before - 1) * 100
  }
  return {
    price_usd: price === null ? null : decimalString(price),
    price_source: price === null ? null : 'onchain',
    price_updated_at: price === null || pricedAt === null ? null : pricedAt * 1000,
    price_change_6h_pct: changePercent(6),
    price_change_24h_pct: changePercent(24),
    volume_6h: volume(6),
    volume_24h: volume(24),
    market_cap: null,
    fdv: price === null ? null : decimalString(price * Number(formatUnits(totalSupply, decimals))),
    liquidity: hasPools ? decimalString(liquidity.get(token.id) ?? 0) : null,
    holder_count: holders,
  }
}
