import { randomUUID } from 'node:crypto'
import { FormatRegistry, type TSchema } from '@sinclair/typebox'
import { Value } from '@sinclair/typebox/value'
import type { FastifyInstance, LightMyRequestResponse } from 'fastify'
import type { PublicReads } from '../../api/authenticate.js'
import type { UsageCounter } from '../../api/key-usage.js'
import { type JsonReply, pathsOf } from '../../api/operation.js'
import type { UnservedOperation } from '../../api/register-unserved.js'
import { buildServer } from '../../api/server.js'
import { createAccounts } from '../../features/accounts/accounts.js'
import { LocalLedger } from '../../features/accounts/ledger/local-ledger.js'
import { accountDetails } from '../../features/accounts/registration/account-details.js'
import type { AdminOperation } from '../../features/admin-operation.js'
import { noAi } from '../../features/ai/ai.js'
import { createApiKeyCache } from '../../features/apps/api-key-cache.js'
import { createApiKey } from '../../features/apps/api-keys.js'
import { ensureApp } from '../../features/apps/apps.js'
import { createBearerVerifier } from '../../features/bearer/bearer-token.js'
import type { ConsoleFiles } from '../../features/console/console-files.js'
import type { LiveOptions } from '../../features/console/live/register-live.js'
import { createServerMonitor } from '../../features/console/overview/monitor.js'
import { FrameServers } from '../../features/frames/frame-server.js'
import { createTestCampaigns } from '../../features/miniapps/campaigns/testing/test-campaigns.js'
import { testMiniAppSettings } from '../../features/miniapps/testing/settings.js'
import type { Operation, OperationContext } from '../../features/operation.js'
import { createSignerCache } from '../../features/signers/acting-signer.js'
import { consentOfAllFids } from '../../features/signers/fid-consent.js'
import { testVault } from '../../features/signers/testing/approved-signer.js'
import { testWebhookSettings } from '../../features/webhooks/testing/settings.js'
import { Hydrator } from '../../graph/cache/hydrator.js'
import { lookupsWithoutChains } from '../../hub/chain-claims/chain-lookups.js'
import type { Hub } from '../../hub/hub.js'
import { createEventTail, type EventTail } from '../../hub/log/tail.js'
import type { Database } from '../../platform/db/connection.js'
import type { ReadRouting } from '../../platform/db/replicas/read-routing.js'
import { PlazaError, refuse } from '../../platform/errors.js'
import { createCounter } from '../../platform/limits/counter.js'
import { limits } from '../../platform/limits/limits.js'
import { createWorkLimits, type WorkLimits } from '../../platform/limits/work-limits.js'
import { createLogger } from '../../platform/log/logger.js'
import { createMetrics } from '../../platform/metrics.js'
import { netFailure } from '../../platform/outbound/net-failure.js'
import { uncheckedTargets } from '../../platform/outbound/saved-targets.js'
import { parseUrl } from '../../platform/text/parse-url.js'
import { isUuid } from '../../platform/text/uuid.js'
import { FarcasterNetwork } from '../../protocol/definitions.js'
import { adminOperations } from '../admin-operations.js'
import { mainApiRoutes } from '../main-api-routes.js'
import { operations as allOperations } from '../operations.js'

FormatRegistry.Set('date-time', (text) => !Number.isNaN(Date.parse(text)) && text.endsWith('Z'))
FormatRegistry.Set('uuid', isUuid)
FormatRegistry.Set('uri', (text) => parseUrl(text) !== null)

export interface TestApiOptions extends Partial<OperationContext> {
  readonly db: Database
  readonly operations?: readonly Operation[]
  /** Operations that answer 501; none if not given, as they take long to register. */
  readonly unserved?: readonly UnservedOperation[]
  /** Counts the requests of each key. */
  readonly usage?: UsageCounter
  /** Requests per minute and key. */
  readonly rateLimit?: number
  /** Bounds of heavy requests; none unless given. */
  readonly workLimits?: WorkLimits
  /** A key to ask with, instead of one that is made. */
  readonly key?: string
  /** Name of the app whose key is made; `test` by default. */
  readonly appName?: string
  /** Token of the admin API, which is not there without. */
  readonly adminToken?: string
  /** Files of the console, which is off without. */
  readonly consoleFiles?: ConsoleFiles | null
  /** Where operations read, if not from `db`. */
  readonly reads?: ReadRouting
  /** Opens public operations to everybody. */
  readonly publicReads?: PublicReads
  /** Limits and times of the stream of the console. */
  readonly live?: Partial<LiveOptions>
}

export interface TestApi {
  readonly app: FastifyInstance
  /** A key that is good. */
  readonly key: string
  /** The app that the key was made for; empty where the key was given. */
  readonly appId: string
  /** Lines of the log. */
  readonly lines: string[]
  /**
   * Asks with the good key: `get('storage/usage', { fid: 1 })`. A reply that breaks the schema of its operation is a
   * 500, and its line of the log tells where.
   */
  get(
    path: string,
    query?: Readonly<Record<string, string | number | boolean>>,
    headers?: Readonly<Record<string, string>>,
  ): Promise<LightMyRequestResponse>
  /** Sends a JSON body with the good key: `send('POST', 'cast', { text: 'hello' })`. */
  send(
    method: Exclude<Operation['method'], 'GET'>,
    path: string,
    body: object,
    headers?: Readonly<Record<string, string>>,
  ): Promise<LightMyRequestResponse>
}

/** The API as the server has it, without a socket. Close `app` or leave it: it holds nothing. */
export async function createTestApi(options: TestApiOptions): Promise<TestApi> {
  const {
    db,
    clock = Date.now,
    operations = allOperations,
    unserved = [],
    rateLimit = 0,
    appName = 'test',
    key: givenKey,
    adminToken,
    consoleFiles,
    publicReads,
    usage,
    reads = null,
    workLimits = createWorkLimits({ clock, budgetMs: 0 }),
    live,
    ...more
  } = options
  const appId = givenKey === undefined ? await ensureApp(db, appName) : ''
  const key = givenKey ?? (await createApiKey(db, { appId })).key
  const lines: string[] = []
  const metrics = createMetrics()
  const log = createLogger('debug', { write: (line: string) => lines.push(line) })
  const keyRing = createApiKeyCache(db, clock)
  const basics = {
    writerDb: db,
    hub: unusedHub,
    vault: testVault,
    network: FarcasterNetwork.DEVNET,
    ...more,
    clock,
  }
  // Nothing is kept ready: what a test writes is what it reads.
  const context: OperationContext = {
    ...basics,
    lookups: lookupsWithoutChains,
    signers: createSignerCache({ db, vault: testVault }, Date.now),
    fidConsent: consentOfAllFids,
    bearer: createBearerVerifier({ db, clock }),
    webhooks: testWebhookSettings,
    miniapps: testMiniAppSettings,
    savedTargets: uncheckedTargets,
    tokenTracking: { rpcs: new Map(), maxTrackedTokens: 0 },
    subscriptions: { contracts: [] },
    walletLedgers: new Map(),
    accounts: createAccounts({
      db,
      vault: basics.vault,
      ledger: new LocalLedger({ db, hub: basics.hub, clock }),
      services: accountDetails(basics),
      worker: randomUUID(),
      clock,
      log,
    }),
    publicUrl: () => 'http://plaza.test',
    system: { configuration: [], hasUpstream: false },
    metrics,
    monitor: createServerMonitor({ db, clock }),
    net: unusedNet,
    frameServers: new FrameServers({ net: more.net ?? unusedNet }),
    ai: noAi,
    campaigns: createTestCampaigns(db, more.net ?? unusedNet),
    crawler: { crawlNow: async () => refuse('unavailable', 'nothing is crawled in this test') },
    hydrator: new Hydrator({ db, clock, locationOf: () => null, maxViews: 0 }),
    ...more,
    db,
    clock,
  }
  const tail = createLazyTail(db)
  const app = await buildServer({
    log,
    metrics,
    trustProxy: false,
    requestTimeoutMs: 30_000,
    routes: [
      tail.routes,
      mainApiRoutes({
        context,
        reads,
        workLimits,
        findCaller: keyRing.find,
        rateLimiter: createCounter<number>(limits.apiRequests, clock, rateLimit),
        usage,
        publicReads,
        adminToken,
        consoleFiles,
        tail: tail.open,
        log,
        ...(live && { live }),
        operations: operations.map(checkReplies),
        unserved,
        adminOperations: adminOperations.map(checkReplies),
      }),
    ],
  })
  return {
    app,
    key,
    appId,
    lines,
    get: (path, query = {}, headers = {}) =>
      app.inject({
        url: pathsOf(path).at(-1)!,
        query: Object.fromEntries(Object.entries(query).map(([name, value]) => [name, String(value)])),
        headers: { 'x-api-key': key, ...headers },
      }),
    send: (method, path, body, headers = {}) =>
      app.inject({
        method,
        url: pathsOf(path).at(-1)!,
        headers: { 'x-api-key': key, ...headers },
        payload: body,
      }),
  }
}

/** Follows the log when a stream of the console does, until the API closes. */
function createLazyTail(db: Database) {
  let tail: EventTail | undefined
  return {
    open: () => {
      tail ??= createEventTail(db, { pollMs: 100 })
      return tail
    },
    routes: (app: FastifyInstance): void => {
      app.addHook('onClose', async () => tail?.close())
    },
  }
}

/** For tests that reach nothing. */
const unusedNet = { request: async () => netFailure('connection', 'nothing is reached in this test') }

/** For tests that write nothing. */
const unusedHub: Hub = {
  submit: () => Promise.reject(new PlazaError('unavailable', 'this test has no hub')),
  checkUnstored: () => Promise.reject(new PlazaError('unavailable', 'this test has no hub')),
  validate: () => Promise.reject(new PlazaError('unavailable', 'this test has no hub')),
  submitOnChainEvents: () => Promise.reject(new PlazaError('unavailable', 'this test has no hub')),
  submitNameTransfers: () => Promise.reject(new PlazaError('unavailable', 'this test has no hub')),
  submitItems: () => Promise.reject(new PlazaError('unavailable', 'this test has no hub')),
  removeByUpstream: () => Promise.reject(new PlazaError('unavailable', 'this test has no hub')),
  removeLostNames: () => Promise.reject(new PlazaError('unavailable', 'this test has no hub')),
  queued: () => 0,
  close: async () => {},
}

function checkReplies<Checked extends Operation | AdminOperation>(operation: Checked): Checked {
  const run = operation.run.bind(operation) as (...request: unknown[]) => Promise<JsonReply>
  return {
    ...operation,
    run: async (...request: unknown[]) => {
      const reply = await run(...request)
      const { status, json } = reply
      const schema = replySchema(operation, status)
      if (!schema) throw new Error(`${operation.path} does not say that it answers ${status}`)
      const [wrong] = Value.Errors(schema, JSON.parse(json.toString()))
      if (wrong) throw new Error(`reply of ${operation.path}: ${wrong.path} ${wrong.message}`)
      return reply
    },
  }
}

function replySchema(operation: Operation | AdminOperation, status: number): TSchema | undefined {
  const usualStatus = operation.status ?? 200
  if (status === usualStatus) return operation.reply
  return 'otherReplies' in operation ? operation.otherReplies?.[status]?.reply : undefined
}
