import { setTimeout as sleep } from 'node:timers/promises'
import { readDelivery } from '../features/webhooks/delivery-log.js'
import { findTriggerable, type TriggerableWebhook } from '../features/webhooks/limits.js'
import type { WebhookDelivery } from '../features/webhooks/schema/webhook.js'
import { type WebhookEventKind, webhookEventKinds } from '../features/webhooks/schema/webhook-filters.js'
import { enqueueTestDelivery } from '../features/webhooks/test-delivery.js'
import type { Database } from '../platform/db/connection.js'
import { PlazaError } from '../platform/errors.js'
import { chosenApp } from './chosen-app.js'
import { type CommandContext, UsageError } from './context.js'
import { withDatabase } from './with-database.js'

/** The options of `plaza webhook trigger`. */
export interface TriggerOptions {
  readonly webhook?: string
  readonly app?: string
  readonly json?: boolean
}

/** Longer than the attempt itself may take: a worker has to claim the delivery. */
const CLAIM_MS = 5_000
const POLL_MS = 100

/** Sends a sample of an event to a webhook and reports what the target answered. */
export async function triggerEvent(
  context: CommandContext,
  event: string,
  options: TriggerOptions,
): Promise<void> {
  const kind = webhookEventKinds.find((each) => each === event)
  if (kind === undefined) throw new UsageError(`the event must be one of ${webhookEventKinds.join(', ')}`)
  await withDatabase(context, 'webhook', async (db) => {
    const webhook = await chosenWebhook(db, options)
    const deliveryId = await enqueue(db, webhook, kind)
    const delivery = await firstAttempt(db, deliveryId, webhook.httpTimeoutMs + CLAIM_MS)
    if (options.json) context.print(JSON.stringify(delivery))
    else context.print(`${kind} to ${webhook.targetUrl}: ${answerOf(delivery)}`)
    if (delivery.status !== 'delivered') {
      throw new UsageError(`the sample was not delivered: ${delivery.failure ?? 'no worker has sent it yet'}`)
    }
  })
}

async function enqueue(db: Database, webhook: TriggerableWebhook, kind: WebhookEventKind): Promise<string> {
  try {
    return (await enqueueTestDelivery(db, webhook, kind, Date.now())).deliveryId
  } catch (error) {
    if (error instanceof PlazaError) throw new UsageError(error.message)
    throw error
  }
}

/** The webhook that is named; else the one that listens, or the only one of the app. */
async function chosenWebhook(
  db: Database,
  { webhook: id, app }: TriggerOptions,
): Promise<TriggerableWebhook> {
  const all = await findTriggerable(
    db,
    id === undefined || app !== undefined ? (await chosenApp(db, app)).id : null,
  )
  if (id !== undefined) {
    const found = all.find((each) => each.id === id.toLowerCase())
    if (found === undefined) throw new UsageError(`there is no webhook ${id}`)
    return found
  }
  const listening = all.findLast(({ isListening }) => isListening)
  if (listening !== undefined) return listening
  const active = all.filter((each) => each.active)
  if (active.length === 1) return active[0]!
  if (active.length === 0)
    throw new UsageError(
      'the app has no active webhook: create one, or `plaza webhook listen --forward-to URL`',
    )
  throw new UsageError(
    `say which webhook with --webhook: ${active.map((each) => `${each.id} (${each.targetUrl})`).join(', ')}`,
  )
}

/** The delivery after its first attempt; or as it is when the time is up. */
async function firstAttempt(db: Database, deliveryId: string, waitMs: number): Promise<WebhookDelivery> {
  const deadlineMs = Date.now() + waitMs
  for (;;) {
    const delivery = await readDelivery(db, deliveryId)
    if (delivery === null) throw new UsageError('the delivery is gone: the webhook was deleted')
    if (delivery.attempts > 0 || delivery.status === 'canceled' || Date.now() > deadlineMs) return delivery
    await sleep(POLL_MS)
  }
}

function answerOf({ response_code: status, latency_ms: ms, failure }: WebhookDelivery): string {
  if (status !== null) return `${status} in ${ms} ms`
  return failure ?? 'waiting'
}
