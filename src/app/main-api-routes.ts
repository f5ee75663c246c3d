import type { FastifyInstance } from 'fastify'
import { createAdminAsApp } from '../api/admin/admin-as-app.js'
import { createAdminCheck } from '../api/admin/admin-caller.js'
import { registerAdmin } from '../api/admin/register-admin.js'
import { createSessionFinder } from '../api/admin/session-cookie.js'
import type { FindCaller } from '../api/api-keys.js'
import type { PublicReads } from '../api/authenticate.js'
import type { UsageCounter } from '../api/key-usage.js'
import { registerApi, versionOne, versionTwo } from '../api/register-api.js'
import { registerDocs } from '../api/register-docs.js'
import { registerUnserved, type UnservedOperation } from '../api/register-unserved.js'
import { createUnknownCredentials, type UnknownCredentials } from '../api/unknown-credentials.js'
import type { AdminOperation } from '../features/admin-operation.js'
import { findAppId } from '../features/apps/apps.js'
import { createAuditLog } from '../features/console/audit-log.js'
import type { ConsoleFiles } from '../features/console/console-files.js'
import { findSession } from '../features/console/console-sessions.js'
import { createLive, type LiveOptions } from '../features/console/live/register-live.js'
import { overviewJson } from '../features/console/overview/overview.js'
import { registerConsole } from '../features/console/register-console.js'
import { registerFrames } from '../features/frames/routes/register-frames.js'
import { registerMiniApps } from '../features/miniapps/routes/register-miniapps.js'
import { registerNftMetadata } from '../features/nfts/register-nft-metadata.js'
import type { Operation, OperationContext } from '../features/operation.js'
import { registerPaymentPages } from '../features/payments/register-payment-pages.js'
import { registerLogin } from '../features/sign-in/browser/register-login.js'
import { registerPortal } from '../features/sign-in/register-portal.js'
import { registerApproval } from '../features/signers/pages/register-approval.js'
import { versionOneOperations } from '../features/version-one/operations.js'
import type { EventTail } from '../hub/log/tail.js'
import type { Database } from '../platform/db/connection.js'
import type { ReadRouting } from '../platform/db/replicas/read-routing.js'
import type { CallerName } from '../platform/limits/caller-name.js'
import { type Counter, createCounter } from '../platform/limits/counter.js'
import { limits } from '../platform/limits/limits.js'
import type { WorkLimits } from '../platform/limits/work-limits.js'
import type { Log } from '../platform/log/log.js'
import { adminOperations as allAdminOperations } from './admin-operations.js'
import { unservedOperations } from './hosted-operations.js'
import { operations as allOperations } from './operations.js'

export interface MainApiOptions {
  readonly context: OperationContext
  readonly findCaller: FindCaller
  readonly rateLimiter: Counter<number>
  /** Counts the requests of each key. */
  readonly usage?: UsageCounter | undefined
  readonly publicReads?: PublicReads | undefined
  /** Bounds heavy operations. */
  readonly workLimits: WorkLimits
  /** Where operations read; null: from the database of the context. */
  readonly reads?: ReadRouting | null
  /** Bearer token that allows everything below `/admin`. */
  readonly adminToken: string | undefined
  /** Serves the console, with these files; null for those that were not built. Undefined: it is off. */
  readonly consoleFiles?: ConsoleFiles | null | undefined
  /** Tells of new events in the log, to streams of the console. */
  readonly tail: () => EventTail
  readonly log: Log
  /** Other limits of these streams, for tests. */
  readonly live?: Partial<LiveOptions>
  /** Other lists than the server's, for tests. */
  readonly operations?: readonly Operation[]
  readonly adminOperations?: readonly AdminOperation[]
  readonly unserved?: readonly UnservedOperation[]
}

/** The routes of the main API, the admin API, the pages for users, mini app events and the documentation. */
export function mainApiRoutes(options: MainApiOptions): (app: FastifyInstance) => Promise<void> {
  const { context, workLimits, findCaller, rateLimiter, usage, publicReads, reads } = options
  const { operations = allOperations, adminOperations = allAdminOperations } = options
  const { keylessRequests } = limits
  const keylessCounter = createCounter<CallerName>(keylessRequests, context.clock, keylessRequests.default)
  const unknownCredentials = createUnknownCredentials(context.clock)
  const admin = adminRoutes(options, unknownCredentials)
  const keyOptions = {
    findCaller,
    unknownCredentials,
    rateLimiter,
    usage,
    publicReads,
    keylessCounter,
    asApp: admin?.asApp,
  }
  const contextOn = (db: Database): OperationContext => ({ ...context, db })
  const replicas = reads ? { routing: reads, contextOn } : undefined
  const unserved = options.unserved ?? unservedOperations(operations)
  return async (app) => {
    const apiOptions = { ...keyOptions, context, replicas, workLimits }
    await registerApi(app, { ...apiOptions, operations }, versionTwo)
    await registerApi(app, { ...apiOptions, operations: versionOneOperations }, versionOne)
    await registerUnserved(app, unserved, keyOptions)
    await registerPortal(app, { ...keyOptions, db: context.db })
    await admin?.register(app)
    await registerApproval(app, context)
    await registerLogin(app, context)
    await registerPaymentPages(app, context)
    await registerNftMetadata(app, context)
    await registerMiniApps(app, context)
    await registerFrames(app, context)
    await registerDocs(app, { operations, adminOperations, unserved }, context)
  }
}

/** The admin API and the console, where somebody can use them: with a token, or from the console. */
function adminRoutes(options: MainApiOptions, unknownCredentials: UnknownCredentials) {
  const { context, adminToken: token, consoleFiles: files, tail, log, live } = options
  const { adminOperations: operations = allAdminOperations } = options
  if (token === undefined && files === undefined) return null
  const { writerDb: db, clock } = context
  const audit = createAuditLog(db)
  const findSessionOf = createSessionFinder((secret) => findSession(db, secret), unknownCredentials)
  const check = createAdminCheck({ token, findSessionOf, clock })
  const asApp = createAdminAsApp({ check, audit, findAppId: (nameOrId) => findAppId(db, nameOrId) })
  const readOverview = async () => overviewJson(context)
  const { register: routes, endSession } = createLive({ db, tail, log, readOverview, ...live })
  async function register(app: FastifyInstance): Promise<void> {
    await registerAdmin(app, { operations, context, check, audit, routes })
    if (files === undefined) return
    await registerConsole(app, { db, check, findSessionOf, files, onSessionEnd: endSession })
  }
  return { asApp, register }
}
