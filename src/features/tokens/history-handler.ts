import type { Hex } from 'viem'
import { LostLease } from '../../hub/chain/cursor.js'
import type { LogHandler } from '../../hub/chain/follower.js'
import { applyChanges } from './balances.js'
import { forgetBalances, historyFollower } from './kept-tokens.js'
import type { Token } from './token.js'
import { changesOf, transferTopic } from './transfers.js'

/** A token whose past is to be read: it has a first block, and is counted from `liveFrom` on. */
export type TokenWithPast = Token & { readonly firstBlock: number; readonly liveFrom: number }

/**
 * Reads the transfers of a token before it was counted. Only final blocks: the last of them may take a minute to be, and
 * until then nobody is told of the token's owners.
 */
export function historyHandler(token: TokenWithPast): LogHandler {
  const { id, liveFrom, firstBlock } = token
  const address: Hex = `0x${token.address.toString('hex')}`
  const counted = new Map([[address, { id, liveFrom: 0 }]])
  return {
    name: historyFollower(token),
    firstBlock: async () => firstBlock,
    lastBlock: liveFrom - 1,
    confirmedOnly: true,
    withTimes: false,
    filter: async () => ({ addresses: [address], topics: [transferTopic] }),
    read: async () => {},
    async handle({ logs, to }, _, commit) {
      await commit(async (transaction) => {
        const moved = await transaction`
          update assets.tokens set read_to = ${to + 1}::bigint
          where id = ${id} and live_from = ${liveFrom}::bigint
          returning id
        `
        if (moved.length === 0) throw new LostLease(`${historyFollower(token)} is read anew`)
        await applyChanges(transaction, changesOf(logs, counted))
      })
    },
    undo: async () => {},
    async startAnew(transaction) {
      await forgetBalances(transaction, [id])
      return firstBlock
    },
  }
}
