import { Type } from '@sinclair/typebox'
import { choiceParameter, ethAddressParameter, numberParameter } from '../../../api/parameters.js'
import { viewerOf } from '../../../api/viewer.js'
import { bytesOfHex } from '../../../protocol/bytes.js'
import { defineOperation } from '../../operation.js'
import { type TrendWindow, trendWindowNames, trendWindows } from '../../trend-windows.js'
import { presentTrade, presentTrending } from '../present-token.js'
import { FungibleTradesResponse, TrendingFungiblesResponse } from '../schema/fungible.js'
import { readSupplies, readTokens } from '../token.js'
import { readTrades, readTrending } from '../trade-lists.js'
import { tradeNetworkOf, tradeNetworkParameter } from '../trade-network.js'

const timeWindowParameter = choiceParameter(trendWindowNames, {
  default: '24h',
  description: 'Time range that ends now.',
})

/** Returns the start of a window, in Unix seconds. */
function windowStart(window: TrendWindow, nowMs: number): number {
  return Math.floor(nowMs / 1000) - trendWindows[window]
}

const MAX_TRADES = 100
const MAX_AMOUNT_USD = 1e15

export const fungibleTrades = defineOperation({
  method: 'GET',
  path: 'fungible/trades',
  isPublic: true,
  tag: 'Onchain',
  summary: 'Get fungible trades',
  description:
    `The newest ${MAX_TRADES} trades of the token by users, in the pools that this server watches. The ` +
    'sender of the transaction is the trader. A trade is valued by its better known token: dollar tokens ' +
    'by their amount, others by their last trade. A token without such a pool has none.',
  query: Type.Object({
    network: tradeNetworkParameter,
    address: ethAddressParameter({
      description: 'Contract address of the token.',
      examples: ['0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913'],
    }),
    time_window: timeWindowParameter,
    min_amount_usd: Type.Optional(
      numberParameter({
        minimum: 0,
        maximum: MAX_AMOUNT_USD,
        description: 'Only trades of at least this value.',
        examples: [100],
      }),
    ),
  }),
  reply: FungibleTradesResponse,

  async handle(
    { db, hydrator, clock, tokenTracking },
    { address, time_window, min_amount_usd, ...tokenQuery },
    caller,
  ) {
    const network = tradeNetworkOf(tokenTracking, tokenQuery.network)
    const [token] = await readTokens(db, { network, addresses: [bytesOfHex(address)] })
    if (token === undefined) return { object: 'fungible_trades' as const, trades: [] }
    const { banned } = await viewerOf({ hydrator }, caller)
    const trades = await readTrades(db, {
      network,
      tokenId: token.id,
      since: windowStart(time_window, clock()),
      minAmountUsd: min_amount_usd ?? null,
      hidden: [...banned],
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

const MAX_TOKENS = 20
/** A window may have all trades of a week, and anybody may ask for it. */
const MAX_RANKING_AGE_MS = 30_000

export const fungibleTrending = defineOperation({
  method: 'GET',
  path: 'fungible/trending',
  isPublic: true,
  tag: 'Onchain',
  summary: 'Fetch trending fungibles',
  description:
    `The ${MAX_TOKENS} tokens with the most traders in the pools that this server watches; equal counts ` +
    'are ordered by traded value. Dollar tokens are left out. The ranking is up to 30 seconds old.',
  query: Type.Object({ network: tradeNetworkParameter, time_window: timeWindowParameter }),
  reply: TrendingFungiblesResponse,

  async handle({ db, hydrator, clock, tokenTracking }, { time_window, ...tokenQuery }) {
    const network = tradeNetworkOf(tokenTracking, tokenQuery.network)
    const since = windowStart(time_window, clock())
    const key = `trending fungibles on ${network} in ${time_window}`
    const ids = await hydrator.singleFlight.readUntagged(key, MAX_RANKING_AGE_MS, (rankingDb) =>
      readTrending(rankingDb, { network, since, limit: MAX_TOKENS }),
    )
    const [tokens, supplies] = await Promise.all([readTokens(db, { ids }), readSupplies(db, ids)])
    const byId = new Map(tokens.map((token) => [token.id, token]))
    return { trending: ids.map((id) => presentTrending(byId.get(id)!, supplies.get(id))) }
  },
})
