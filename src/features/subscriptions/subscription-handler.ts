import { type Hex, toEventSelector } from 'viem'
import type { ChainRpc } from '../../hub/chain/chain-rpc.js'
import type { LogHandler } from '../../hub/chain/follower.js'
import { findFirstBlock } from '../tokens/token-details.js'
import type { FollowedContract } from './settings.js'
import { deleteSubscribersFrom, saveSubscribers } from './subscribers.js'

/** `Transfer` of an ERC-721 has the token's id as a third indexed argument. */
const transferTopic = toEventSelector('Transfer(address,address,uint256)')
const TRANSFER_TOPICS = 4
/** After a reorganization of final blocks, this multiple of the confirmations is read again. */
const REREAD_FACTOR = 10

/**
 * Records who receives tokens of the subscription contracts of a network.
 *
 * Both versions mint a token at the first purchase or grant and extend it later, so the first transfer is the time of
 * the subscription. Only final blocks are read.
 *
 * @returns null if no contract is on this network.
 */
export function subscriptionHandler(
  rpc: ChainRpc,
  contracts: readonly FollowedContract[],
): LogHandler | null {
  const { name: network, confirmations } = rpc.chain
  const addresses = contracts.flatMap((each) => (each.network === network ? [each.address] : []))
  if (addresses.length === 0) return null
  return {
    name: `${network}/subscriptions`,
    async firstBlock() {
      const blocks: number[] = []
      for (const address of addresses) {
        blocks.push(await rpc.withEndpoint((endpoint) => findFirstBlock(endpoint, address)))
      }
      return Math.min(...blocks)
    },
    contracts: async () => addresses,
    confirmedOnly: true,
    withTimes: true,
    filter: async () => ({ addresses, topics: [transferTopic] }),
    read: async () => {},
    async handle({ logs, headers }, _, commit) {
      const received = logs.flatMap(({ address, topics, blockNumber: block }) => {
        if (topics.length !== TRANSFER_TOPICS) return []
        const account = `0x${topics[2]!.slice(-40)}` as Hex
        return [{ network, address, account, subscribedAt: headers.get(block)!.timestamp, block }]
      })
      const isFirst = new Set<string>()
      const first = received.filter(({ address, account }) => {
        const key = `${address} ${account}`
        return !isFirst.has(key) && isFirst.add(key)
      })
      await commit((db) => saveSubscribers(db, first))
    },
    undo: (db, fromBlock) => deleteSubscribersFrom(db, network, fromBlock),
    async recoverFromDeepReorg(db, nextBlock) {
      const from = Math.max(0, nextBlock - REREAD_FACTOR * confirmations)
      await deleteSubscribersFrom(db, network, from)
      return from
    },
  }
}
