import type { Registry } from 'prom-client'
import { startDeliveryWorker } from '../../features/webhooks/delivery/delivery-worker.js'
import { installJobs } from '../../features/webhooks/delivery/jobs.js'
import { deleteExpiredDeliveries } from '../../features/webhooks/delivery/retention.js'
import { createWebhookConsumer } from '../../features/webhooks/events/webhook-consumer.js'
import { Subscriptions } from '../../features/webhooks/matching/subscriptions.js'
import type { WebhookSettings } from '../../features/webhooks/settings.js'
import { observeWebhooks } from '../../features/webhooks/webhook-metrics.js'
import type { Hydrator } from '../../graph/cache/hydrator.js'
import type { Consumer } from '../../hub/log/consumer-batch.js'
import { connect } from '../../platform/db/connection.js'
import type { Log } from '../../platform/log/log.js'
import { createNetClient } from '../../platform/outbound/net-client.js'
import { version } from '../../platform/process/version.js'
import type { ScheduledJob } from '../../platform/scheduler/scheduled-jobs.js'
import type { Vault } from '../../platform/vault/vault.js'
import type { Config } from '../config/config.js'

/** Webhooks, as the server runs them. */
export interface OpenWebhooks {
  /** Puts what subscriptions ask for in line. */
  readonly consumer: Consumer
  readonly jobs: readonly ScheduledJob[]
  /** Ends what is being sent; what has not begun waits for the next start, or for another process. */
  close(): Promise<void>
}

/** What webhooks stand on. */
export interface WebhookServices {
  readonly url: string
  readonly hydrator: Hydrator
  readonly vault: Vault
  readonly registry: Registry
  readonly log: Log
}

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
/** One statement of the queue's loop, the views of a batch, a look at the queue, and one to spare. */
const POOL_SIZE = 4
const POOL_END_SECONDS = 5

/** Starts the sending of webhooks, on connections of its own. */
export async function openWebhooks(
  config: Config,
  { url, hydrator, vault, registry, log }: WebhookServices,
): Promise<OpenWebhooks> {
  await installJobs(url, log)
  const db = connect(url, { poolSize: POOL_SIZE, applicationName: 'plaza webhooks' })
  const lockDb = connect(url, { poolSize: 1, applicationName: 'plaza webhooks lock' })
  const net = createNetClient({
    policy: webhookSettings(config).targetPolicy,
    userAgent: `plaza/${version} (webhooks)`,
  })
  const stop = await startDeliveryWorker({
    db,
    lockDb,
    databaseUrl: url,
    vault,
    net,
    renderContext: { db, hydrator },
    concurrency: config.webhookConcurrency,
    clock: Date.now,
    random: Math.random,
    log,
    onAttempt: observeWebhooks(registry, db),
  })
  return {
    consumer: createWebhookConsumer(new Subscriptions(), Date.now),
    jobs: [
      {
        name: 'old deliveries of webhooks',
        everyMs: HOUR_MS,
        run: () => deleteExpiredDeliveries(db, config.webhookRetentionDays),
      },
    ],
    async close() {
      // Targets that take longer than a server may take to end get the delivery again.
      const timer = setTimeout(() => void net.close(), config.shutdownTimeoutMs)
      await stop().finally(() => clearTimeout(timer))
      await net.close()
      await Promise.all([db, lockDb].map((pool) => pool.end({ timeout: POOL_END_SECONDS })))
    },
  }
}

/** What the operator decides of webhooks. */
export function webhookSettings(config: Config): WebhookSettings {
  const isDevelopment = config.allowPrivateTargets === 'loopback'
  return {
    targetPolicy: { allowHttp: config.webhookAllowHttp || isDevelopment, allowLoopback: isDevelopment },
    httpTimeoutMs: config.webhookTimeoutMs,
    rateLimit: config.webhookRateLimit,
    rateLimitMs: MINUTE_MS,
    maxPerApp: config.webhooksPerApp,
  }
}
