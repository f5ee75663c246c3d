import { randomUUID } from 'node:crypto'
import type { Registry } from 'prom-client'
import { observeCampaigns } from '../../features/miniapps/campaigns/campaign-metrics.js'
import { deleteExpiredBatches } from '../../features/miniapps/campaigns/retention.js'
import type { Campaigns } from '../../features/miniapps/campaigns/sending/sender.js'
import { startSender } from '../../features/miniapps/campaigns/sending/sender-process.js'
import type { CampaignSettings } from '../../features/miniapps/campaigns/settings.js'
import { connect } from '../../platform/db/connection.js'
import type { Log } from '../../platform/log/log.js'
import { createNetClient } from '../../platform/outbound/net-client.js'
import { version } from '../../platform/process/version.js'
import type { ScheduledJob } from '../../platform/scheduler/scheduled-jobs.js'
import type { Config } from '../config/config.js'
import { otherAppsTargetPolicy } from './main-api.js'

/** The sending of mini app notifications, as the server runs it. */
export interface OpenMiniApps {
  /** What operations send with. */
  readonly campaigns: Campaigns
  readonly jobs: readonly ScheduledJob[]
  /** Ends what is being sent; what has not begun waits for the next start, or for another process. */
  close(): Promise<void>
}

const HOUR_MS = 60 * 60 * 1000
/** The statement of the sender's loop, the selection of an audience, a look at the queue, and one to spare. */
const POOL_SIZE = 4
const POOL_END_SECONDS = 5
/** To select an audience of ten million takes most of a minute. */
const AUDIENCE_TIMEOUT_MS = 600_000

/** Starts the sending of notifications, on connections of its own. */
export async function openMiniApps(
  config: Config,
  { url, registry, log }: { readonly url: string; readonly registry: Registry; readonly log: Log },
): Promise<OpenMiniApps> {
  const settings = campaignSettings(config)
  const db = connect(url, {
    poolSize: POOL_SIZE,
    applicationName: 'plaza campaigns',
    statementTimeoutMs: AUDIENCE_TIMEOUT_MS,
  })
  const lockDb = connect(url, { poolSize: 1, applicationName: 'plaza campaigns lock' })
  const net = createNetClient({
    policy: otherAppsTargetPolicy(config),
    userAgent: `plaza/${version} (mini apps)`,
  })
  const sender = await startSender({
    db,
    lockDb,
    net,
    settings,
    sender: randomUUID(),
    log,
    onAttempt: observeCampaigns(registry, db),
  })
  return {
    campaigns: { settings, sender },
    jobs: [{ name: 'old batches of notifications', everyMs: HOUR_MS, run: () => deleteExpiredBatches(db) }],
    async close() {
      // Clients that take longer than a server may take to end are asked again, under the same id.
      const timer = setTimeout(() => void net.close(), config.shutdownTimeoutMs)
      await sender.stop().finally(() => clearTimeout(timer))
      await net.close()
      await Promise.all([db, lockDb].map((pool) => pool.end({ timeout: POOL_END_SECONDS })))
    },
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
