import { decodeEventLog, type Hex, parseAbi, toEventSelector } from 'viem'
import type { ChainLog } from '../../hub/chain/endpoint.js'

/** A swap from the trader's side. */
export interface Swap {
  readonly protocolFamily: 'uniswap'
  readonly protocolVersion: 'v2' | 'v3'
  /** Whether the first token of the pool was sold and the second bought. */
  readonly soldFirst: boolean
  /** In the tokens' smallest unit; both are above 0. */
  readonly sold: bigint
  readonly bought: bigint
}

const v2Abi = parseAbi([
  'event Swap(address indexed sender, uint256 amount0In, uint256 amount1In, uint256 amount0Out, uint256 amount1Out, address indexed to)',
])
const v3Abi = parseAbi([
  'event Swap(address indexed sender, address indexed recipient, int256 amount0, int256 amount1, uint160 sqrtPriceX96, uint128 liquidity, int24 tick)',
])
const v2Topic = toEventSelector(v2Abi[0])
const v3Topic = toEventSelector(v3Abi[0])

/** First topics of swaps in pools like Uniswap v2 and v3, which most exchanges use. */
export const swapTopics: readonly Hex[] = [v2Topic, v3Topic]

/** Decodes a swap from a pool's log; null for other logs and for swaps with an empty side. */
export function readSwap({ topics, data }: ChainLog): Swap | null {
  const amounts = topics[0] === v2Topic ? v2Amounts(topics, data) : v3Amounts(topics, data)
  if (amounts === null) return null
  const [first, second] = amounts
  const protocol = {
    protocolFamily: 'uniswap',
    protocolVersion: topics[0] === v2Topic ? 'v2' : 'v3',
  } as const
  if (first > 0n && second < 0n) return { ...protocol, soldFirst: true, sold: first, bought: -second }
  if (second > 0n && first < 0n) return { ...protocol, soldFirst: false, sold: second, bought: -first }
  return null
}

/** What the pool received of each token; negative when it paid. */
type Amounts = readonly [bigint, bigint] | null

function v2Amounts(topics: readonly Hex[], data: Hex): Amounts {
  try {
    const { args } = decodeEventLog({ abi: v2Abi, topics: asTopics(topics), data })
    return [args.amount0In - args.amount0Out, args.amount1In - args.amount1Out]
  } catch {
    // Same event name with another layout: anyone can deploy a pool.
    return null
  }
}

function v3Amounts(topics: readonly Hex[], data: Hex): Amounts {
  try {
    const { args } = decodeEventLog({ abi: v3Abi, topics: asTopics(topics), data })
    return [args.amount0, args.amount1]
  } catch {
    return null
  }
}

function asTopics(topics: readonly Hex[]): [Hex, ...Hex[]] {
  return [...topics] as [Hex, ...Hex[]]
}
