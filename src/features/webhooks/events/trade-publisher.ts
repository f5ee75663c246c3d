import { formatUnits, getAddress } from 'viem'
import type { ChainName } from '../../../hub/chain/chains.js'
import type { Queryable, Transaction } from '../../../platform/db/connection.js'
import { inPipeline } from '../../../platform/db/pipeline.js'
import { checksummedAddress } from '../../tokens/present-token.js'
import { readTokens, type Token } from '../../tokens/token.js'
import { claimUnpublished, type TradeRow } from '../../tokens/trade-lists.js'
import { enqueueDeliveries } from '../delivery/enqueue-deliveries.js'
import { Matcher } from '../matching/matcher.js'
import { matchEvents } from './matched-events.js'
import type { WebhookEvent } from './webhook-event.js'

/**
 * Creates the publisher of a network's trades up to a final block. Deliveries are queued in the transaction that moves
 * the follower's cursor, so each trade is published once also after crashes, and trades of reorganized blocks never
 * are.
 *
 * @param clock Unix milliseconds.
 */
export function createTradePublisher(clock: () => number) {
  const matcher = new Matcher()
  return async (db: Transaction, network: ChainName, lastFinal: number): Promise<void> => {
    const trades = await claimUnpublished(db, network, lastFinal)
    if (trades.length === 0) return
    await matcher.refresh(db)
    if (!matcher.hasSubscribers('trade.created')) return
    const matched = await matchEvents(db, matcher, await tradeEventsOf(db, trades))
    try {
      await inPipeline(await enqueueDeliveries(db, matched, clock()))
    } catch (error) {
      // Deliveries of a webhook that a fail-over lost are refused.
      matcher.forget()
      throw error
    }
  }
}

/** Builds the events of trades. */
export async function tradeEventsOf(db: Queryable, trades: readonly TradeRow[]): Promise<WebhookEvent[]> {
  const ids = [...new Set(trades.flatMap(({ soldId, boughtId }) => [soldId, boughtId]))]
  const tokens = new Map((await readTokens(db, { ids })).map((token) => [token.id, token]))
  return trades.map((trade) => tradeEventOf(trade, tokens))
}

/** Builds the event of a trade (docs/compatibility.md §18.4). Its tokens differ from those of the API. */
function tradeEventOf(trade: TradeRow, tokens: ReadonlyMap<number, Token>): WebhookEvent {
  const { network, transactionHash, logIndex, traderFid, usd } = trade
  const fungible = (tokenId: number, amount: string) => {
    const { address, decimals, symbol, name, logo } = tokens.get(tokenId)!
    return {
      object: 'fungible_balance',
      token: {
        object: 'fungible',
        address: checksummedAddress(address),
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
