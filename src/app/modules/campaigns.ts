import { randomUUID } from 'node:crypto'
import { observeCampaigns } from '../../features/miniapps/campaigns/campaign-metrics.js'
import { deleteExpiredBatches } from '../../features/miniapps/campaigns/retention.js'
import { startSender } from '../../features/miniapps/campaigns/sending/sender-process.js'
import type { CampaignSettings } from '../../features/miniapps/campaigns/settings.js'
import { createNetClient } from '../../platform/outbound/net-client.js'
import { version } from '../../platform/process/version.js'
import type { Config } from '../config/config.js'
import type { Module } from '../module.js'
import { otherAppsTargetPolicy } from '../target-policies.js'

const HOUR_MS = 60 * 60 * 1000

/** Notifications of mini apps. */
export const campaignsModule: Module = {
  name: 'campaigns',
  runsIn: ['api', 'worker'],
  async start({ config, connections, metrics, log }) {
    const settings = campaignSettings(config)
    const db = connections.work
    const net = createNetClient({
      policy: otherAppsTargetPolicy(config),
      userAgent: `plaza/${version} (mini apps)`,
    })
    const sender = await startSender({
      db,
      lockDb: connections.locks,
      net,
      settings,
      sender: randomUUID(),
      log,
      onAttempt: observeCampaigns(metrics.registry, connections.read),
    })
    return {
      services: { campaigns: { settings, sender } },
      jobs: [{ name: 'old batches of notifications', everyMs: HOUR_MS, run: () => deleteExpiredBatches(db) }],
      async stop() {
        // Clients that take longer than a server may take to end are asked again, under the same id.
        const timer = setTimeout(() => void net.close(), config.shutdownTimeoutMs)
        await sender.stop().finally(() => clearTimeout(timer))
        await net.close()
      },
    }
  },
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
