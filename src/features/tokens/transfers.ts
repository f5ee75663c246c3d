import { type Hex, toEventSelector } from 'viem'
import type { ChainLog } from '../../hub/chain/endpoint.js'

/** First topic of transfers. */
export const transferTopic: Hex = toEventSelector('Transfer(address,address,uint256)')

/** The change of one holder's balance by transfers. */
export interface BalanceChange {
  readonly tokenId: number
  /** Lowercase hex with 0x. */
  readonly holder: Hex
  readonly block: number
  /** In the token's smallest unit. */
  readonly amount: bigint
}

/** A token whose transfers are applied. */
export interface TrackedToken {
  readonly id: number
  /** The backfill reads transfers of earlier blocks. */
  readonly liveFrom: number
}

/** Transfers have three topics and a word. NFT transfers share the event name but have four topics. */
const TRANSFER_TOPICS = 3
const WORD_LENGTH = 66

/**
 * Sums transfers by token, holder and block; each transfer has a sender and a receiver.
 *
 * @param tokens By address in lowercase hex with 0x.
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
