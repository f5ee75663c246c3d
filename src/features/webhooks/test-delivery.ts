import { randomUUID } from 'node:crypto'
import { exampleOf } from '../../api/openapi-example.js'
import { Cast, CastDehydrated } from '../../graph/view/schema/cast.js'
import { User } from '../../graph/view/schema/user.js'
import { UserDehydrated } from '../../graph/view/schema/user-dehydrated.js'
import { notifyLanes } from '../../outbox/outbox-queue.js'
import type { Database } from '../../platform/db/connection.js'
import type { WebhookEventKind } from './schema/webhook-filters.js'
import { deliveryChannel } from './waiting-deliveries.js'
import { requireActive } from './webhooks.js'

/**
 * Queues a sample delivery of a kind for a webhook, whatever it subscribes to. It is signed, rate-limited and
 * retried like any other.
 *
 * @throws PlazaError 409 when the webhook is inactive.
 */
export async function enqueueTestDelivery(
  db: Database,
  webhook: { readonly id: string; readonly active: boolean },
  kind: WebhookEventKind,
  nowMs: number,
): Promise<{ readonly deliveryId: string; readonly eventId: string }> {
  requireActive(webhook)
  const [deliveryId, eventId] = [randomUUID(), `test-${randomUUID()}`]
  const now = new Date(nowMs).toISOString()
  await db.begin(async (transaction) => {
    await transaction`
      insert into webhooks.events (id, kind, happened_at, detected_at, subject, data)
      values (
        ${eventId}, ${kind}, ${now}, ${now}, ${JSON.stringify({ type: 'user', fid: 0 })}::text::jsonb,
        ${JSON.stringify(sampleData(kind, now))}
      )`
    await transaction`
      insert into webhooks.deliveries (id, webhook_id, event_id)
      values (${deliveryId}, ${webhook.id}, ${eventId})`
    await notifyLanes(transaction, deliveryChannel, [webhook.id])
  })
  return { deliveryId, eventId }
}

const exampleUser = exampleOf(UserDehydrated) as UserDehydrated

const exampleToken = (symbol: string) => ({
  object: 'fungible_balance',
  token: {
    object: 'fungible',
    address: `0x${'22'.repeat(20)}`,
    decimals: 18,
    symbol,
    name: symbol,
  },
  balance: { in_usd: 100, in_token: '100' },
})

/** Returns the member `data` of a sample delivery of a kind, made from the examples of the API. */
export function sampleData(kind: WebhookEventKind, now: string): object {
  const times = { event_timestamp: now, timestamp: now }
  switch (kind) {
    case 'cast.created':
    case 'cast.deleted':
      return exampleOf(Cast) as Cast
    case 'follow.created':
    case 'follow.deleted':
      return {
        object: kind === 'follow.created' ? 'follow' : 'unfollow',
        ...times,
        user: exampleUser,
        target_user: { ...exampleUser, fid: exampleUser.fid + 1, username: 'bob', display_name: 'Bob' },
      }
    case 'reaction.created':
    case 'reaction.deleted':
      return {
        object: 'reaction',
        ...times,
        reaction_type: 1,
        user: exampleUser,
        cast: exampleOf(CastDehydrated),
      }
    case 'user.created':
    case 'user.updated':
      return exampleOf(User) as User
    case 'trade.created':
      return {
        object: 'trade',
        trader: exampleUser,
        pool: {
          object: 'pool',
          address: `0x${'33'.repeat(20)}`,
          protocol_family: 'uniswap',
          protocol_version: 'v3',
        },
        transaction: {
          hash: `0x${'44'.repeat(32)}`,
          network: { object: 'network', name: 'base' },
          net_transfer: {
            object: 'net_transfer',
            receiving_fungible: exampleToken('AAA'),
            sending_fungible: exampleToken('USDC'),
          },
        },
      }
  }
}
