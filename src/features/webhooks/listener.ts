import { randomUUID } from 'node:crypto'
import { startOutbox } from '../../outbox/outbox.js'
import type { OutboxQueue } from '../../outbox/outbox-queue.js'
import type { Database } from '../../platform/db/connection.js'
import { createDeliveryQueue, type DeliveryQueueOptions } from './delivery/delivery-queue.js'
import { deliveryWorkers } from './delivery/delivery-store.js'
import { createWebhook, type Webhook, type WebhookDetails, type WebhookStore } from './webhooks.js'

/** Dependencies of a listener. */
export interface ListenerOptions extends DeliveryQueueOptions {
  readonly store: WebhookStore
  readonly appId: string
  readonly details: Omit<WebhookDetails, 'listener'>
  /** A pool of one connection that does nothing else: PostgreSQL sees by it that this process has ended. */
  readonly lockDb: Database
}

/** A webhook whose deliveries this process sends. */
export interface Listener {
  readonly webhook: Webhook
  /** Resolves when somebody has deleted the webhook: its app, or a worker that took this process for dead. */
  readonly deleted: Promise<void>
  /** Waits for what is being sent, and deletes the webhook. */
  stop(): Promise<void>
}

/** Deliveries at the same time; few, so that a person can read what a local server logs of them. */
const CONCURRENCY = 4

/**
 * Creates a webhook of an app whose deliveries only this process sends, so that they reach addresses which only this
 * machine can reach. Matching, signatures and retries are those of every webhook. When the process dies without `stop`,
 * the other workers notice it and delete the webhook.
 */
export async function startListener(options: ListenerOptions): Promise<Listener> {
  const { db, lockDb, store, appId, details, clock, log } = options
  const worker = randomUUID()
  const own = new Set<string>()
  let notifyDeleted = () => {}
  const deleted = new Promise<void>((resolve) => {
    notifyDeleted = resolve
  })
  const look = async () => {
    const [gone] = await db`
      select from webhooks.webhooks
      where id = any (${db.types.texts([...own])}::text[]::uuid[]) and deleted_at is not null`
    if (gone) notifyDeleted()
  }
  const outbox = await startOutbox({
    queue: onlyLanes(createDeliveryQueue(options), own),
    workers: deliveryWorkers,
    worker,
    concurrency: CONCURRENCY,
    db,
    lockDb,
    listen: (channel, onNotify) => db.listen(channel, onNotify),
    clock,
    log,
    // A database that is away is looked at again with the next sweep.
    onSweep: () => void look().catch(() => {}),
  })
  try {
    const webhook = await createWebhook(store, appId, { ...details, listener: worker })
    own.add(webhook.id)
    outbox.sweep()
    return { webhook, deleted, stop: outbox.stop }
  } catch (error) {
    await outbox.stop()
    throw error
  }
}

/** A queue that has no other lanes than these: those of others are left to the server. */
function onlyLanes<Claimed, Prepared extends Claimed, Result>(
  queue: OutboxQueue<Claimed, Prepared, Result>,
  own: ReadonlySet<string>,
): OutboxQueue<Claimed, Prepared, Result> {
  return {
    ...queue,
    findDueLanes: async (_worker, after) => [...own].filter((lane) => lane > after),
    async claim(worker, requests) {
      const requested = requests.filter(({ lane }) => own.has(lane))
      return requested.length === 0 ? [] : await queue.claim(worker, requested)
    },
  }
}
