import { type CampaignSettings, createCampaigns } from '../../features/miniapps/campaigns/campaign-client.js'
import {
  countNotificationAttempts,
  observeCampaignQueue,
} from '../../features/miniapps/campaigns/campaign-metrics.js'
import { deleteExpiredOpens } from '../../features/miniapps/campaigns/opens.js'
import { deleteExpiredBatches } from '../../features/miniapps/campaigns/sending/batch-queue.js'
import { startCampaignSender } from '../../features/miniapps/campaigns/sending/campaign-sender.js'
import { HOUR_MS } from '../../platform/durations.js'
import { createNetClient } from '../../platform/outbound/net-client.js'
import { stopWithClient } from '../../platform/outbound/stop-with-client.js'
import { version } from '../../platform/process/version.js'
import type { Config } from '../config/config.js'
import type { Module, ServerApp } from '../module.js'
import { otherAppsTargetPolicy } from '../target-policies.js'

/** Notifications of mini apps. An API process enqueues them and waits for their end; a worker sends them. */
export const campaignsModule: Module = {
  name: 'campaigns',
  runsIn: ['api', 'worker'],
  observe: ({ metrics, connections }) => observeCampaignQueue(metrics.registry, connections.read),
  async start(app) {
    const { config, connections, roles } = app
    const campaigns = createCampaigns({
      settings: campaignSettings(config),
      listen: connections.listener.listen,
      db: connections.work,
    })
    const sender = roles.has('worker') ? await startSender(app) : null
    return {
      services: { campaigns },
      endWaits: campaigns.endWaits,
      ...(sender === null ? {} : { jobs: sender.jobs }),
      async stop() {
        await campaigns.close()
        await sender?.stop()
      },
    }
  },
}

async function startSender({ config, connections, metrics, log, clock }: ServerApp) {
  const db = connections.work
  const net = createNetClient({
    policy: otherAppsTargetPolicy(config),
    userAgent: `plaza/${version} (mini apps)`,
  })
  const sender = await startCampaignSender({
    db,
    lockDb: connections.locks,
    listen: connections.listener.listen,
    net,
    settings: campaignSettings(config),
    clock,
    log,
    onAttempt: countNotificationAttempts(metrics.registry),
  })
  return {
    jobs: [
      { name: 'old batches of notifications', everyMs: HOUR_MS, run: () => deleteExpiredBatches(db) },
      { name: 'old opens of notifications', everyMs: HOUR_MS, run: () => deleteExpiredOpens(db) },
    ],
    // Clients that take longer are asked again, under the same id.
    stop: () => stopWithClient(net, () => sender.stop(), config.shutdownTimeoutMs / 2),
  }
}

function campaignSettings(config: Config): CampaignSettings {
  return {
    isAsync: config.asyncNotificationsEnabled,
    intervalSeconds: config.notificationIntervalSeconds,
    perDay: config.notificationsPerDay,
    concurrency: config.notificationConcurrency,
    timeoutMs: config.notificationTimeoutMs,
  }
}
