import type { Hex } from 'viem'
import { LeaseLost } from '../../hub/chain/cursor.js'
import type { LogHandler } from '../../hub/chain/follower.js'
import { applyChanges } from './balances.js'
import type { Token } from './token.js'
import { backfillFollowerName, deleteBalances } from './tracked-tokens.js'
import { balanceChangesOf, transferTopic } from './transfers.js'

/** A token to backfill: it has a first block, and is applied live from `liveFrom` on. */
export type BackfilledToken = Token & { readonly firstBlock: number; readonly liveFrom: number }

/**
 * Creates the handler that reads a token's transfers before `liveFrom`.
 *
 * Only final blocks are read. The last of them may take a minute to become final; the token's owners are
 * shown after that.
 */
export function backfillHandler(token: BackfilledToken): LogHandler {
  const { id, liveFrom, firstBlock } = token
  const address: Hex = `0x${token.address.toString('hex')}`
  const trackedTokens = new Map([[address, { id, liveFrom: 0 }]])
  return {
    name: backfillFollowerName(token),
    firstBlock: async () => firstBlock,
    lastBlock: liveFrom - 1,
    confirmedOnly: true,
    withTimes: false,
    filter: async () => ({ addresses: [address], topics: [transferTopic] }),
    read: async () => {},
    async handle({ logs, to }, _, commit) {
      await commit(async (transaction) => {
        const updatedRows = await transaction`
          update tokens.tokens set read_to = ${to + 1}::bigint
          where id = ${id} and live_from = ${liveFrom}::bigint
          returning id
        `
        if (updatedRows.length === 0) throw new LeaseLost(`${backfillFollowerName(token)} is read anew`)
        await applyChanges(transaction, balanceChangesOf(logs, trackedTokens))
      })
    },
    undo: async () => {},
    async recoverFromDeepReorg(transaction) {
      await deleteBalances(transaction, [id])
      return firstBlock
    },
  }
}
