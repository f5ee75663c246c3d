import { Type } from '@sinclair/typebox'
import { TrendingFungiblesResponse } from '../../../graph/view/schema/trade.js'
import { defineOperation } from '../../operation.js'
import { presentTrending } from '../present-token.js'
import { readTokens } from '../token.js'
import { readSupplies } from '../token-stats.js'
import { readTrending } from '../trade-lists.js'
import { timeWindowParameter, windowStart } from './time-window.js'
import { tradeNetworkOf, tradeNetworkParameter } from './trade-network.js'

const MAX_TOKENS = 20

/** `GET fungible/trending` */
export const fungibleTrending = defineOperation({
  method: 'GET',
  path: 'fungible/trending',
  tag: 'Fungible',
  summary: 'Tokens that are traded most',
  description: [
    `The ${MAX_TOKENS} tokens that most users have traded in the pools that are watched here, and among equals those`,
    'whose trades were worth most. Tokens that are worth a dollar are left out.',
  ].join(' '),
  query: Type.Object({ network: tradeNetworkParameter, time_window: timeWindowParameter }),
  reply: TrendingFungiblesResponse,

  async handle({ db, clock, assets }, { time_window, ...tokenQuery }) {
    const network = tradeNetworkOf(assets, tokenQuery.network)
    const since = windowStart(time_window, clock())
    const trending = await readTrending(db, { network, since, limit: MAX_TOKENS })
    const ids = trending.map(({ tokenId }) => tokenId)
    const [tokens, supplies] = await Promise.all([readTokens(db, { ids }), readSupplies(db, ids)])
    const byId = new Map(tokens.map((token) => [token.id, token]))
    return { trending: ids.map((id) => presentTrending(byId.get(id)!, supplies.get(id))) }
  },
})
