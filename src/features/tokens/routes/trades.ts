import { Type } from '@sinclair/typebox'
import { ethAddressParameter, numberParameter } from '../../../api/parameters.js'
import { FungibleTradesResponse } from '../../../graph/view/schema/trade.js'
import { PlazaError } from '../../../platform/errors.js'
import { defineOperation } from '../../operation.js'
import { presentTrade } from '../present-token.js'
import { readTokens } from '../token.js'
import { readSupplies } from '../token-stats.js'
import { readTrades } from '../trade-lists.js'
import { timeWindowParameter, windowStart } from './time-window.js'
import { tradeNetworkOf, tradeNetworkParameter } from './trade-network.js'

const MAX_TRADES = 100
const MAX_AMOUNT_USD = 1e15

/** `GET fungible/trades` */
export const fungibleTrades = defineOperation({
  method: 'GET',
  path: 'fungible/trades',
  tag: 'Fungible',
  summary: 'What users have traded of a token',
  description: [
    `The ${MAX_TRADES} newest trades by users, in the pools that are watched here. Who trades is who sends the transaction.`,
    'A trade is worth what its better known token was: dollars by their number, others by their last trade.',
  ].join(' '),
  query: Type.Object({
    network: tradeNetworkParameter,
    address: ethAddressParameter({ description: 'The token.' }),
    time_window: timeWindowParameter,
    min_amount_usd: Type.Optional(
      numberParameter({ minimum: 0, maximum: MAX_AMOUNT_USD, description: 'Trades of less are left out.' }),
    ),
  }),
  reply: FungibleTradesResponse,
  notFound: 'No trades of this token are kept here.',

  async handle({ db, hydrator, clock, assets }, { address, time_window, min_amount_usd, ...tokenQuery }) {
    const network = tradeNetworkOf(assets, tokenQuery.network)
    const [token] = await readTokens(db, { network, addresses: [Buffer.from(address.slice(2), 'hex')] })
    if (token === undefined) {
      throw new PlazaError('not_found', 'no trades of this token are kept here', { property: 'address' })
    }
    const trades = await readTrades(db, {
      tokenId: token.id,
      since: windowStart(time_window, clock()),
      minAmountUsd: min_amount_usd ?? null,
      limit: MAX_TRADES,
    })
    const ids = [...new Set(trades.flatMap(({ soldId, boughtId }) => [soldId, boughtId]))]
    const [tokens, supplies, users] = await Promise.all([
      readTokens(db, { ids }),
      readSupplies(db, ids),
      hydrator.dehydratedUsers(trades.flatMap(({ traderFid }) => traderFid ?? [])),
    ])
    const byId = new Map(tokens.map((each) => [each.id, each]))
    return {
      object: 'fungible_trades' as const,
      trades: trades.flatMap((trade) => {
        const trader = trade.traderFid === null ? undefined : users.get(trade.traderFid)
        return trader ? [presentTrade(trade, trader, byId, supplies)] : []
      }),
    }
  },
})
