import { type Hex, toEventSelector } from 'viem'
import type { ChainLog } from '../../hub/chain/endpoint.js'

/** The first topic of transfers. */
export const transferTopic: Hex = toEventSelector('Transfer(address,address,uint256)')

/** What a transfer changes for one of its two sides. */
export interface BalanceChange {
  readonly tokenId: number
  /** Lower-case hex with 0x. */
  readonly holder: Hex
  readonly block: number
  /** In the token's smallest unit. */
  readonly amount: bigint
}

/** A token that transfers are counted of. */
export interface TrackedToken {
  readonly id: number
  /** Transfers of earlier blocks are counted elsewhere. */
  readonly liveFrom: number
}

/** A transfer has three topics and a word; those of NFTs, which are called the same, have another topic. */
const TRANSFER_TOPICS = 3
const WORD_LENGTH = 66

/**
 * What transfers change, added up by token, holder and block: each has a side that gives and one that gets.
 *
 * @param tokens by address in lower-case hex with 0x.
 */
export function balanceChangesOf(
  logs: readonly ChainLog[],
  tokens: ReadonlyMap<Hex, TrackedToken>,
): BalanceChange[] {
  const changes = new Map<string, BalanceChange>()
  for (const { address, topics, data, blockNumber: block } of logs) {
    const token = tokens.get(address)
    if (token === undefined || block < token.liveFrom) continue
    if (topics[0] !== transferTopic || topics.length !== TRANSFER_TOPICS || data.length !== WORD_LENGTH)
      continue
    const value = BigInt(data)
    if (value === 0n) continue
    for (const [topic, amount] of [
      [topics[1]!, -value],
      [topics[2]!, value],
    ] as const) {
      const holder: Hex = `0x${topic.slice(-40)}`
      const key = `${block} ${token.id} ${holder}`
      const before = changes.get(key)?.amount ?? 0n
      changes.set(key, { tokenId: token.id, holder, block, amount: before + amount })
    }
  }
  return [...changes.values()].filter(({ amount }) => amount !== 0n)
}
