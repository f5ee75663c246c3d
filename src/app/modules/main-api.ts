import { readConsoleFiles } from '../../features/console/console-files.js'
import { readActivity, SAMPLE_MS } from '../../features/console/overview/activity.js'
import { createServerMonitor, type ServerMonitor } from '../../features/console/overview/monitor.js'
import { FrameServers } from '../../features/frames/frame-server.js'
import { createSignerCache } from '../../features/signers/acting-signer.js'
import { consentOfAllFids, createFidConsent } from '../../features/signers/fid-consent.js'
import { parseSubscriptionContracts } from '../../features/subscriptions/settings.js'
import type { CallerName } from '../../platform/limits/caller-name.js'
import { createCounter } from '../../platform/limits/counter.js'
import { limits } from '../../platform/limits/limits.js'
import { createSharedBudget } from '../../platform/limits/shared-budget.js'
import { createNetClient } from '../../platform/outbound/net-client.js'
import { version } from '../../platform/process/version.js'
import type { ScheduledJob } from '../../platform/scheduler/scheduled-jobs.js'
import { configurationEntries } from '../config/config.js'
import { farcasterNetworks } from '../farcaster-networks.js'
import { findIdleRoles } from '../idle-roles.js'
import { mainApiRoutes } from '../main-api-routes.js'
import type { Module, ServerApp } from '../module.js'
import { openBearer } from '../open-bearer.js'
import { otherAppsTargetPolicy, savedTargetsOf } from '../target-policies.js'
import { upstreamAddresses } from '../upstream-addresses.js'
import { webhookSettings } from './webhooks.js'

/** Where the build puts it, beside `app` in `dist`. */
const consoleDirectory = new URL('../../console/', import.meta.url)

/** The main API below `/v2`, the admin API, the approval pages and the documentation. */
export const mainApiModule: Module = {
  name: 'main API',
  runsIn: ['api'],
  start(app) {
    const { config, connections, hub, lookups, hydrator, vault, metrics, clock, log, publicUrl } = app
    const { read: db, write: writerDb } = connections
    const targetPolicy = otherAppsTargetPolicy(config)
    // What is sent to other apps is signed for a user, and not for everybody on the way to read.
    const net = createNetClient({ policy: targetPolicy, userAgent: `plaza/${version}` })
    const monitor = monitorOf(app)
    const bearer = openBearer(config, { db, net, clock, publicUrl })
    const context = {
      db,
      writerDb,
      hub,
      lookups,
      hydrator,
      vault,
      clock,
      metrics,
      monitor,
      publicUrl,
      net,
      frameServers: new FrameServers({ net }),
      crawler: app.service('crawler'),
      accounts: app.service('accounts'),
      walletLedgers: app.service('walletLedgers'),
      tokenTracking: app.service('tokens'),
      subscriptions: { contracts: parseSubscriptionContracts(config.subscriptionContracts) },
      campaigns: app.service('campaigns'),
      ai: app.service('ai'),
      signers: createSignerCache({ db, vault }, clock),
      fidConsent: config.strictFids ? createFidConsent({ db, bearer }) : consentOfAllFids,
      bearer,
      network: farcasterNetworks[config.hubNetwork],
      webhooks: webhookSettings(config),
      miniapps: { targetPolicy },
      savedTargets: savedTargetsOf(config, clock),
      system: {
        configuration: configurationEntries(config),
        hasUpstream: config.upstreamHub !== undefined,
      },
    }
    const budget = createSharedBudget(limits.apiRequests, clock, config.apiRateLimit)
    const stopSharing = budget.start(connections.work, log)
    const routes = mainApiRoutes({
      context,
      reads: app.reads,
      workLimits: app.workLimits,
      findCaller: app.service('findCaller'),
      rateLimiter: budget.counter,
      usage: app.service('keyUsage'),
      publicReads: config.publicReads
        ? {
            findClient: app.service('findClient'),
            rateLimiter: createCounter<CallerName>(limits.publicReads, clock, config.publicReadsRateLimit),
          }
        : undefined,
      adminToken: config.adminToken,
      consoleFiles: config.console ? readConsoleFiles(consoleDirectory) : undefined,
      tail: () => app.tail,
      log,
    })
    return {
      routes,
      jobs: config.console ? [activityJob(monitor, app)] : [],
      async stop() {
        await stopSharing()
        await net.close()
      },
    }
  },
}

function monitorOf({ config, connections, clock, processId, errors }: ServerApp): ServerMonitor {
  const idleRoles = findIdleRoles(config)
  const upstreams = upstreamAddresses(config)
  return createServerMonitor({ db: connections.read, clock, processId, errors, idleRoles, upstreams })
}

/** Samples what the hub does, for the rates of the console. */
function activityJob(
  { activity }: ServerMonitor,
  { clock, connections }: Pick<ServerApp, 'clock' | 'connections'>,
): ScheduledJob {
  const run = async () => activity.add(clock(), await readActivity(connections.read))
  return { name: 'activity of the hub', everyMs: SAMPLE_MS, perProcess: true, run }
}
