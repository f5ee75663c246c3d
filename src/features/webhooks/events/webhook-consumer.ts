import { formatUnits, getAddress } from 'viem'
import type { NetworkName } from '../../../hub/chain/networks.js'
import type { ConsumedEvent, Consumer } from '../../../hub/log/consumer-batch.js'
import type { HubEventBody } from '../../../hub/log/hub-event.js'
import type { LoggedEvent } from '../../../hub/log/write.js'
import type { Queryable, Transaction } from '../../../platform/db/connection.js'
import { inPipeline, type Statement } from '../../../platform/db/pipeline.js'
import { HubEventType, MessageType } from '../../../protocol/definitions.js'
import { checksummedAddress } from '../../tokens/present-token.js'
import { readTokens, type Token } from '../../tokens/token.js'
import { claimUnpublished, type TradeRow } from '../../tokens/trade-lists.js'
import { Matcher } from '../matching/matcher.js'
import { deriveWebhookEvents, webhookEventTypes } from './event-derivation.js'
import { enqueueDeliveries, matchEvents } from './matched-events.js'
import type { WebhookEvent } from './webhook-event.js'

/**
 * Matches log events against subscriptions and queues deliveries in the transaction that moves the cursor. So
 * each delivery is queued exactly once, also after crashes.
 *
 * @param clock Unix milliseconds.
 */
export function createWebhookConsumer(clock: () => number): Consumer {
  const matcher = new Matcher()
  return {
    name: 'webhooks',
    from: 'newest',
    types: webhookEventTypes,
    prepare: (db) => matcher.refresh(db),
    async handle(db, events) {
      if (matcher.size === 0) return discardCompactedFollows(db, events)
      const compactedFollows = await takeCompactedFollows(db, events)
      const matched = await matchEvents(db, matcher, deriveWebhookEvents(events, compactedFollows))
      return enqueueDeliveries(db, matched, clock())
    },
  }
}

/**
 * A merge hook that records the follows removed by a compact state. The protocol's log does not contain them
 * (docs/protocol.md §1.4), and they are gone when the consumer reads the log.
 */
export async function recordCompactedFollows(db: Transaction, events: readonly LoggedEvent[]): Promise<void> {
  const endedFollows = events.flatMap(({ shard, id, body }) => {
    if (!isCompaction(body)) return []
    const targets = body.deletedMessages.flatMap(({ data }) =>
      data.type === MessageType.LINK_ADD && data.linkBody?.targetFid !== undefined
        ? [data.linkBody.targetFid]
        : [],
    )
    return targets.length === 0 ? [] : [{ shard, id, targets }]
  })
  for (const { shard, id, targets } of endedFollows) {
    await db`
      insert into webhooks.compacted_follows (shard, event_id, target_fids)
      values (${shard}, ${id}, ${targets}::bigint[])
      on conflict do nothing`
  }
}

/** Takes the follows removed by log entries, by `<shard>-<id>`, deleting them. */
export async function takeCompactedFollows(
  db: Queryable,
  events: readonly ConsumedEvent[],
): Promise<Map<string, readonly number[]>> {
  const compactions = events.filter(({ body }) => isCompaction(body))
  if (compactions.length === 0) return new Map()
  const rows = await db<{ shard: number; id: number; targets: number[] }[]>`
    delete from webhooks.compacted_follows c
    using unnest(
      ${compactions.map(({ shard }) => shard)}::smallint[],
      ${compactions.map(({ id }) => id)}::bigint[]
    ) as asked (shard, id)
    where c.shard = asked.shard and c.event_id = asked.id
    returning c.shard, c.event_id as id, c.target_fids as targets`
  return new Map(rows.map(({ shard, id, targets }) => [`${shard}-${id}`, targets]))
}

/** Returns the statement that deletes the recorded follows of a shard's log entries without decoding them. */
function discardCompactedFollows(db: Queryable, events: readonly ConsumedEvent[]): Statement[] {
  const last = events.at(-1)
  if (last === undefined) return []
  return [
    db`
      delete from webhooks.compacted_follows
      where shard = ${last.shard}::smallint and event_id <= ${last.id}::bigint`,
  ]
}

function isCompaction(body: HubEventBody): body is Extract<HubEventBody, { deletedMessages: unknown }> {
  return (
    body.type === HubEventType.MERGE_MESSAGE &&
    body.message.data.type === MessageType.LINK_COMPACT_STATE &&
    body.message.data.linkCompactStateBody?.type === 'follow'
  )
}

/**
 * Creates the publisher of a network's trades up to a final block. Deliveries are queued in the transaction that moves
 * the follower's cursor, so each trade is published once also after crashes, and trades of reorganized blocks never
 * are.
 *
 * @param clock Unix milliseconds.
 */
export function createTradePublisher(clock: () => number) {
  const matcher = new Matcher()
  return async (db: Transaction, network: NetworkName, lastFinal: number): Promise<void> => {
    const trades = await claimUnpublished(db, network, lastFinal)
    if (trades.length === 0) return
    await matcher.refresh(db)
    if (!matcher.hasSubscribers('trade.created')) return
    const ids = [...new Set(trades.flatMap(({ soldId, boughtId }) => [soldId, boughtId]))]
    const tokens = new Map((await readTokens(db, { ids })).map((token) => [token.id, token]))
    const events = trades.map((trade) => tradeEventOf(trade, tokens))
    const matched = await matchEvents(db, matcher, events)
    await inPipeline(enqueueDeliveries(db, matched, clock()))
  }
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
