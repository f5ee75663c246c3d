import { formatUnits, getAddress } from 'viem'
import { spelledAddress } from '../../features/tokens/present-token.js'
import { readTokens, type Token } from '../../features/tokens/token.js'
import { type TradeRow, takeUntold } from '../../features/tokens/trade-lists.js'
import { enqueueDeliveries } from '../../features/webhooks/delivery/enqueue.js'
import { loadFacts } from '../../features/webhooks/events/load-facts.js'
import type { Occurrence } from '../../features/webhooks/events/occurrence.js'
import { Subscriptions } from '../../features/webhooks/matching/subscriptions.js'
import type { NetworkName } from '../../hub/chain/networks.js'
import type { Transaction } from '../../platform/db/connection.js'

/** Tells webhooks of a network's trades up to a block that is final. */
export type TellTrades = (db: Transaction, network: NetworkName, lastFinal: number) => Promise<void>

/**
 * Puts trades in line for the webhooks that ask for them, in the transaction that moves the follower's cursor: each is
 * told of once, whatever dies, and none that the chain takes back.
 *
 * @param clock Unix milliseconds.
 */
export function createTradeTeller(clock: () => number): TellTrades {
  const subscriptions = new Subscriptions()
  const { matcher } = subscriptions
  return async (db, network, lastFinal) => {
    const trades = await takeUntold(db, network, lastFinal)
    if (trades.length === 0) return
    await subscriptions.refresh(db)
    if (!matcher.wants('trade.created')) return
    const ids = [...new Set(trades.flatMap(({ soldId, boughtId }) => [soldId, boughtId]))]
    const tokens = new Map((await readTokens(db, { ids })).map((token) => [token.id, token]))
    const known = await loadFacts(
      db,
      trades.map((trade) => occurrenceOf(trade, tokens)),
    )
    const matched = known.flatMap(({ occurrence, facts }) => {
      const webhookIds = matcher.match(facts)
      return webhookIds.length === 0 ? [] : [{ occurrence, webhookIds }]
    })
    await enqueueDeliveries(db, matched, clock())
  }
}

/** A trade as webhooks are told of it (docs/compatibility.md §18.4): its tokens have other members than those of the API. */
function occurrenceOf(trade: TradeRow, tokens: ReadonlyMap<number, Token>): Occurrence {
  const { network, transactionHash, logIndex, traderFid, usd } = trade
  const fungible = (tokenId: number, amount: string) => {
    const { address, decimals, symbol, name, logo } = tokens.get(tokenId)!
    return {
      object: 'fungible_balance',
      token: {
        object: 'fungible',
        address: spelledAddress(address),
        decimals,
        symbol,
        name,
        ...(logo === null ? {} : { image_url: logo }),
      },
      balance: { in_usd: usd, in_token: formatUnits(BigInt(amount), decimals) },
    }
  }
  return {
    id: `trade-${network}-${transactionHash}-${logIndex}`,
    kind: 'trade.created',
    happenedAt: trade.tradedAt,
    subject: {
      type: 'trade',
      fid: traderFid,
      amountUsdc: usd ?? 0,
      data: {
        pool: {
          object: 'pool',
          address: getAddress(trade.pool),
          protocol_family: trade.protocolFamily,
          protocol_version: trade.protocolVersion,
        },
        transaction: {
          hash: transactionHash,
          network: { object: 'network', name: network },
          net_transfer: {
            object: 'net_transfer',
            receiving_fungible: fungible(trade.boughtId, trade.bought),
            sending_fungible: fungible(trade.soldId, trade.sold),
          },
        },
      },
    },
  }
}
