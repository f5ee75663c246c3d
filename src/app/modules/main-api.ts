import { readConsoleFiles } from '../../features/console/console-files.js'
import { createSignerCache } from '../../features/signers/acting-signer.js'
import { consentOfAllFids, createFidConsent } from '../../features/signers/fid-consent.js'
import { parseSubscriptionContracts } from '../../features/subscriptions/settings.js'
import { createCounter } from '../../platform/limits/counter.js'
import { limits } from '../../platform/limits/limits.js'
import { createSharedBudget } from '../../platform/limits/shared-budget.js'
import { createNetClient } from '../../platform/outbound/net-client.js'
import { version } from '../../platform/process/version.js'
import { mainApiRoutes } from '../main-api-routes.js'
import type { Module } from '../module.js'
import { networks } from '../networks.js'
import { openBearer } from '../open-bearer.js'
import { publicReadPaths } from '../public-reads.js'
import { otherAppsTargetPolicy, savedTargetsOf } from '../target-policies.js'
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
      publicUrl,
      net,
      crawler: app.service('crawler'),
      accounts: app.service('accounts'),
      walletLedgers: app.service('walletLedgers'),
      assets: app.service('tokens'),
      subscriptions: { contracts: parseSubscriptionContracts(config.subscriptionContracts) },
      campaigns: app.service('campaigns'),
      ai: app.service('ai'),
      signers: createSignerCache({ db, vault }, clock),
      fidConsent: config.strictFids ? createFidConsent({ db, bearer }) : consentOfAllFids,
      bearer,
      network: networks[config.hubNetwork],
      webhooks: webhookSettings(config),
      miniapps: { targetPolicy },
      savedTargets: savedTargetsOf(config, clock),
    }
    const budget = createSharedBudget(limits.apiRequests, clock, config.apiRateLimit)
    const stopSharing = budget.start(connections.work, log)
    const routes = mainApiRoutes({
      context,
      reads: app.reads,
      work: app.work,
      findCaller: app.service('findCaller'),
      rateLimiter: budget.counter,
      publicReads: config.publicReads
        ? {
            paths: publicReadPaths,
            findClient: app.service('findClient'),
            rateLimiter: createCounter<string>(limits.publicReads, clock, config.publicReadsRateLimit),
          }
        : undefined,
      adminToken: config.adminToken,
      consoleFiles: config.console ? readConsoleFiles(consoleDirectory) : undefined,
    })
    return {
      routes,
      async stop() {
        await stopSharing()
        await net.close()
      },
    }
  },
}
