import { startDeliveryWorker } from '../../features/webhooks/delivery/delivery-worker.js'
import { installJobs } from '../../features/webhooks/delivery/jobs.js'
import { deleteExpiredDeliveries } from '../../features/webhooks/delivery/retention.js'
import { recordCompactedFollows } from '../../features/webhooks/events/compacted-follows.js'
import { createWebhookConsumer } from '../../features/webhooks/events/webhook-consumer.js'
import { Subscriptions } from '../../features/webhooks/matching/subscriptions.js'
import type { WebhookSettings } from '../../features/webhooks/settings.js'
import { observeWebhooks } from '../../features/webhooks/webhook-metrics.js'
import { createNetClient } from '../../platform/outbound/net-client.js'
import { version } from '../../platform/process/version.js'
import type { Config } from '../config/config.js'
import type { Module } from '../module.js'

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS

/**
 * Webhooks: what subscriptions ask for is put in line from the event log, and sent. The follows that a compact state
 * ends stand in no event, so a merge hook records them.
 */
export const webhooksModule: Module = {
  name: 'webhooks',
  runsIn: ['worker'],
  mergeHooks: [recordCompactedFollows],
  consumers: (clock) => [createWebhookConsumer(new Subscriptions(), clock)],
  async start({ config, connections, databaseUrl, hydrator, vault, metrics, log, clock }) {
    await installJobs(databaseUrl, log)
    const db = connections.work
    const net = createNetClient({
      policy: webhookSettings(config).targetPolicy,
      userAgent: `plaza/${version} (webhooks)`,
    })
    const stop = await startDeliveryWorker({
      db,
      lockDb: connections.locks,
      databaseUrl,
      vault,
      net,
      renderContext: { db, hydrator },
      concurrency: config.webhookConcurrency,
      clock,
      random: Math.random,
      log,
      onAttempt: observeWebhooks(metrics.registry, connections.read),
    })
    return {
      jobs: [
        {
          name: 'old deliveries of webhooks',
          everyMs: HOUR_MS,
          run: () => deleteExpiredDeliveries(db, config.webhookRetentionDays),
        },
      ],
      async stop() {
        // Targets that take longer than a server may take to end get the delivery again.
        const timer = setTimeout(() => void net.close(), config.shutdownTimeoutMs)
        await stop().finally(() => clearTimeout(timer))
        await net.close()
      },
    }
  },
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
