import type { FastifyInstance } from 'fastify'
import { registerAdmin } from '../../api/admin/register-admin.js'
import type { FindCaller } from '../../api/api-keys.js'
import { createRateLimiter } from '../../api/rate-limit.js'
import { registerApi } from '../../api/register-api.js'
import { registerDocs } from '../../api/register-docs.js'
import type { Accounts } from '../../features/accounts/accounts.js'
import { createApiKeyCache } from '../../features/apps/api-key-cache.js'
import { createDevelopmentKey } from '../../features/apps/development-key.js'
import type { Crawler } from '../../features/embeds/crawler.js'
import type { Campaigns } from '../../features/miniapps/campaigns/sending/sender.js'
import { deleteExpiredHostData } from '../../features/miniapps/hosts/retention.js'
import { registerMiniApps } from '../../features/miniapps/routes/register-miniapps.js'
import type { MiniAppSettings } from '../../features/miniapps/settings.js'
import type { OperationContext } from '../../features/operation.js'
import { deleteExpiredRequests } from '../../features/publishing/idempotency.js'
import { registerApproval } from '../../features/signers/pages/register-approval.js'
import { createSignerCache } from '../../features/signers/signer-cache.js'
import type { Assets } from '../../features/tokens/on-demand-tokens.js'
import type { Hydrator } from '../../graph/cache/hydrator.js'
import type { Hub } from '../../hub/hub.js'
import type { Database } from '../../platform/db/connection.js'
import type { Log } from '../../platform/log/log.js'
import { createNetClient, type NetClient } from '../../platform/outbound/net-client.js'
import type { TargetPolicy } from '../../platform/outbound/target.js'
import { version } from '../../platform/process/version.js'
import type { ScheduledJob } from '../../platform/scheduler/scheduled-jobs.js'
import { adminOperations } from '../admin-operations.js'
import type { Config } from '../config/config.js'
import { operations } from '../operations.js'
import { openBearer } from './bearer.js'
import { networks } from './hub.js'
import { openVault } from './vault.js'
import { webhookSettings } from './webhooks.js'

/** The main API, to be hung into a server. */
export interface MainApi {
  readonly routes: (app: FastifyInstance) => Promise<void>
  readonly findCaller: FindCaller
  /** What is to be done now and again while it runs. */
  readonly jobs: readonly ScheduledJob[]
  /** The key that was made because the database had none. */
  readonly developmentKey: string | null
  /** Ends its connections to others. */
  close(): Promise<void>
}

/** What the main API stands on. */
export interface MainApiServices {
  /** For reads. */
  readonly db: Database
  readonly writerDb: Database
  readonly hub: Hub
  readonly hydrator: Hydrator
  readonly crawler: Crawler
  readonly accounts: Accounts | null
  readonly campaigns: Campaigns
  readonly assets: Assets
  /** Where the server listens, once it does. */
  readonly listeningUrl: () => string
}

const KEY_USE_INTERVAL_MS = 60_000
const CLEANUP_INTERVAL_MS = 60 * 60 * 1000

/** Puts the main API together. */
export async function openMainApi(
  config: Config,
  { listeningUrl, ...parts }: MainApiServices,
  log: Log,
): Promise<MainApi> {
  const { db, writerDb } = parts
  const clock = Date.now
  const keyRing = createApiKeyCache(db, clock)
  const developmentKey = await firstKey(config, writerDb)
  const configuredKey = config.plazaDevApiKey
  if (developmentKey === null && configuredKey !== undefined && !(await keyRing.find(configuredKey))) {
    log.warn({}, 'PLAZA_DEV_API_KEY is not used: the database has other API keys already')
  }
  const vault = await openVault(config)
  const net = openNetClient(config)
  const publicUrl = () => config.publicUrl?.replace(/\/+$/, '') ?? listeningUrl()
  const context: OperationContext = {
    ...parts,
    clock,
    vault,
    signers: createSignerCache({ db, vault }, clock),
    net,
    bearer: openBearer(config, { db, net, clock, publicUrl }),
    network: networks[config.hubNetwork],
    webhooks: webhookSettings(config),
    miniapps: miniAppSettings(config),
    publicUrl,
  }
  const rateLimiter = createRateLimiter(config.apiRateLimit, clock)
  return {
    routes: async (app) => {
      await registerApi(app, {
        operations,
        context,
        findCaller: keyRing.find,
        rateLimiter,
      })
      await registerAdmin(app, { operations: adminOperations, context, token: config.adminToken })
      await registerApproval(app, context)
      await registerMiniApps(app, context)
      await registerDocs(app, { operations, adminOperations })
    },
    findCaller: keyRing.find,
    jobs: [
      { name: 'use of API keys', everyMs: KEY_USE_INTERVAL_MS, run: () => keyRing.saveLastUsed(writerDb) },
      {
        name: 'answers for repeated requests',
        everyMs: CLEANUP_INTERVAL_MS,
        run: () => deleteExpiredRequests(writerDb, clock()),
      },
      {
        name: 'tokens and notifications of mini apps',
        everyMs: CLEANUP_INTERVAL_MS,
        run: () => deleteExpiredHostData(writerDb),
      },
    ],
    developmentKey,
    close: net.close,
  }
}

/** What the operator decides of mini apps. */
function miniAppSettings(config: Config): MiniAppSettings {
  return { targetPolicy: otherAppsTargetPolicy(config) }
}

/** The way out to other apps. What is sent to them is signed for a user, and not for everybody on the way to read. */
function openNetClient(config: Config): NetClient {
  return createNetClient({ policy: otherAppsTargetPolicy(config), userAgent: `plaza/${version}` })
}

/** Which addresses of other apps are reached. */
export function otherAppsTargetPolicy({ allowPrivateTargets }: Config): TargetPolicy {
  const allowLoopback = allowPrivateTargets === 'loopback'
  return { allowHttp: allowLoopback, allowLoopback }
}

/** A database that somebody else runs gets a key of ours only when one was chosen for it. */
async function firstKey(config: Config, writerDb: Database): Promise<string | null> {
  const configuredKey = config.plazaDevApiKey
  if (config.databaseUrl !== undefined && configuredKey === undefined) return null
  return createDevelopmentKey(writerDb, configuredKey)
}
