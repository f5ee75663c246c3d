import { cancelWaitingOfInactive } from '../../features/webhooks/cancel-waiting.js'
import { createDeliveryQueue } from '../../features/webhooks/delivery/delivery-queue.js'
import { deliveryWorkers } from '../../features/webhooks/delivery/delivery-store.js'
import { deleteExpiredDeliveries, failOverdueDeliveries } from '../../features/webhooks/delivery-retention.js'
import { recordCompactedFollows } from '../../features/webhooks/events/compacted-follows.js'
import { createWebhookConsumer } from '../../features/webhooks/events/webhook-consumer.js'
import { deleteEndedSecrets } from '../../features/webhooks/secrets.js'
import {
  countOverdueDeliveries,
  observeDeliveryAttempts,
  observeDeliveryQueue,
} from '../../features/webhooks/webhook-metrics.js'
import type { WebhookSettings } from '../../features/webhooks/webhooks.js'
import { startOutbox } from '../../outbox/outbox.js'
import { HOUR_MS, MINUTE_MS } from '../../platform/durations.js'
import { createNetClient } from '../../platform/outbound/net-client.js'
import { stopWithClient } from '../../platform/outbound/stop-with-client.js'
import { version } from '../../platform/process/version.js'
import type { Config } from '../config/config.js'
import type { Module } from '../module.js'
import { otherAppsTargetPolicy } from '../target-policies.js'

/**
 * Webhooks. A consumer of the event log enqueues the deliveries that subscriptions ask for, and the outbox sends them. A
 * merge hook records the follows that a compact state ends: no event of the log names them.
 */
export const webhooksModule: Module = {
  name: 'webhooks',
  runsIn: ['worker'],
  mergeHooks: [recordCompactedFollows],
  consumers: (clock) => [createWebhookConsumer(clock)],
  observe: ({ metrics, connections }) => observeDeliveryQueue(metrics.registry, connections.read),
  async start({ config, connections, hydrator, vault, metrics, log, tracing, clock }) {
    const db = connections.work
    const net = createNetClient({
      policy: webhookSettings(config).targetPolicy,
      userAgent: `plaza/${version} (webhooks)`,
    })
    const queue = createDeliveryQueue({
      db,
      vault,
      net,
      hydrator,
      clock,
      random: Math.random,
      log,
      onAttempt: observeDeliveryAttempts(metrics.registry),
    })
    const outbox = await startOutbox({
      queue,
      workers: deliveryWorkers,
      concurrency: config.webhookConcurrency,
      db,
      lockDb: connections.locks,
      listen: connections.listener.listen,
      clock,
      log,
      tracing,
    })
    const countOverdue = countOverdueDeliveries(metrics.registry, log)
    return {
      jobs: [
        {
          name: 'deliveries of webhooks that wait too long',
          everyMs: HOUR_MS,
          run: () => failOverdueDeliveries(db, config.webhookMaxWaitDays, countOverdue),
        },
        {
          name: 'old deliveries of webhooks',
          everyMs: HOUR_MS,
          run: () => deleteExpiredDeliveries(db, config.webhookRetentionDays),
        },
        {
          name: 'ended secrets of webhooks',
          everyMs: HOUR_MS,
          run: () => deleteEndedSecrets(db),
        },
        {
          name: 'deliveries of inactive webhooks',
          everyMs: HOUR_MS,
          run: () => cancelWaitingOfInactive(db),
        },
      ],
      // Targets that take longer get the delivery again.
      stop: () => stopWithClient(net, () => outbox.stop(), config.shutdownTimeoutMs / 2),
    }
  },
}

/** Reads the settings of webhooks from the configuration. */
export function webhookSettings(config: Config): WebhookSettings {
  const { allowHttp, allowLoopback } = otherAppsTargetPolicy(config)
  return {
    targetPolicy: { allowHttp: config.webhookAllowHttp || allowHttp, allowLoopback },
    httpTimeoutMs: config.webhookTimeoutMs,
    rateLimit: config.webhookRateLimit,
    rateLimitMs: MINUTE_MS,
    maxPerApp: config.webhooksPerApp,
  }
}
