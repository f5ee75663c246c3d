import type { FastifyInstance } from 'fastify'
import type { Database } from '../platform/db/connection.js'
import type { ReadRouting } from '../platform/db/replicas/read-routing.js'
import type { WriterKey } from '../platform/db/replicas/recent-writes.js'
import { JSON_TYPE } from '../platform/http/content-type.js'
import { answerPreflights } from '../platform/http/cors.js'
import type { LimitStatus } from '../platform/limits/counter.js'
import { allowHeavyWork, type RunHeavy, setBudgetHeaders } from '../platform/limits/heavy-requests.js'
import { chargeOnce, type WorkLimits } from '../platform/limits/work-limits.js'
import { type KeyOptions, requireApiKey } from './authenticate.js'
import { type Caller, callerOf } from './caller.js'
import { handleErrors } from './error-response.js'
import { acceptJson } from './json-bodies.js'
import { neutralObjectNames } from './neutral-object-names.js'
import {
  type ErasedOperation,
  isChange,
  type JsonReply,
  type OperationDescription,
  pathsOf,
  prefersStrict,
} from './operation.js'
import { compileListNames, type RawQuery } from './parse-query.js'
import { writerKeysOf } from './writer-keys.js'

export interface ApiOptions<Context> extends KeyOptions {
  readonly operations: readonly ErasedOperation<Context>[]
  readonly context: Context
  readonly replicas?: ReplicaReads<Context> | undefined
  /** Bounds of heavy operations. */
  readonly workLimits: WorkLimits
}

/** How reads run on replicas. */
export interface ReplicaReads<Context> {
  readonly routing: Pick<ReadRouting, 'run' | 'wrote'>
  /** The context of an operation that reads from this database. */
  readonly contextOn: (db: Database) => Context
}

/** The paths of a version of the API. */
interface ApiVersion {
  readonly prefix: string
  /** Returns the full paths of an operation, which start with the prefix. */
  readonly pathsOf: (path: string) => readonly string[]
}

/** Operations below `/v2`. */
export const versionTwo: ApiVersion = { prefix: '/v2', pathsOf }

/** Operations of version 1 below `/v1/farcaster`, beside the hub's methods below `/v1`. */
export const versionOne: ApiVersion = {
  prefix: '/v1/farcaster',
  pathsOf: (path) => [`/v1/farcaster/${path}`],
}

const METHODS = 'GET, POST, PUT, PATCH, DELETE, OPTIONS'

/** Adds the operations of a version. The server ignores a trailing slash. */
export async function registerApi<Context>(
  app: FastifyInstance,
  options: ApiOptions<Context>,
  { prefix, pathsOf }: ApiVersion,
): Promise<void> {
  await app.register(
    async (scope) => {
      acceptApiRequests(scope, options)
      const runHeavy = allowHeavyWork(scope, options.workLimits)
      for (const operation of options.operations) {
        for (const path of pathsOf(operation.path)) addOperation(scope, operation, path, options, runHeavy)
      }
    },
    { prefix },
  )
}

function acceptApiRequests(scope: FastifyInstance, options: KeyOptions): void {
  handleErrors(scope)
  answerPreflights(scope, METHODS, 'x-api-key')
  acceptJson(scope)
  requireApiKey(scope, options)
}

/** @param path Starts with the prefix of the scope. */
function addOperation<Context>(
  scope: FastifyInstance,
  operation: ErasedOperation<Context>,
  path: string,
  { context, replicas, asApp, workLimits }: ApiOptions<Context>,
  runHeavy: RunHeavy,
): void {
  const readListNames = compileListNames(operation.query?.properties ?? {})
  const rename = path.startsWith('/v2/social/') ? neutralObjectNames(operation) : null
  const deprecation = deprecationOf(operation)
  scope.route({
    method: operation.method,
    url: path.slice(scope.prefix.length),
    // Who asks with HEAD expects that nothing changes, and does not see what was changed.
    exposeHeadRoute: !isChange(operation),
    config: {
      isPublic: operation.isPublic,
      isKeyless: operation.isKeyless,
      longWait: operation.longWait,
      operation: `${operation.method} ${operation.path}`,
    },
    handler: async (request, reply) => {
      const caller = request.getDecorator<Caller>('caller')
      const { query, params, body } = request
      const headers = asApp?.headersOf(request) ?? request.headers
      if (deprecation !== null) reply.header('deprecation', deprecation)
      // Before it runs: a body that is refused is so because of it.
      if (operation.body && prefersStrict(headers.prefer))
        reply.header('preference-applied', 'handling=strict')
      const named = readListNames(query as RawQuery)
      const payer = {
        caller: callerOf(caller, request.ip),
        onStatus: (status: LimitStatus) => setBudgetHeaders(reply, status),
      }
      const rawQuery = { ...named, ...(params as object) }
      const price = operation.price?.(rawQuery) ?? null
      // What has a price has a place among the heavy requests: a second one would wait for the first.
      const charge = price === null ? chargeOnce(workLimits, payer) : hasPaid
      const input = { query: rawQuery, body, headers, charge }
      const run = (used: Context) => operation.run(used, input, caller)
      const runHere = () =>
        replicas
          ? runBesideReplicas(operation, replicas, writerKeysOf(caller, body ?? input.query), run, context)
          : run(context)
      const answer = () => (asApp ? asApp.run(request, operation, runHere) : runHere())
      if (price !== null) await operation.prepare(context, input, caller)
      const answerBytes = ({ json }: JsonReply) => json.length
      const reported =
        price === null ? answer() : runHeavy({ price, caller: payer.caller, answerBytes }, reply, answer)
      const { status, headers: replyHeaders = {}, json } = await reported
      return reply
        .status(status)
        .headers(replyHeaders)
        .type(JSON_TYPE)
        .send(rename ? rename(json) : json)
    },
  })
}

async function hasPaid(): Promise<void> {}

/** The header `Deprecation`, a date of structured fields (RFC 9745); null for an operation that is not deprecated. */
function deprecationOf({
  deprecatedSince: day,
}: Pick<OperationDescription, 'deprecatedSince'>): string | null {
  return day === undefined ? null : `@${Date.parse(day) / 1000}`
}

/** Runs a read where its database is chosen, and anything else on the primary, as a write of its callers. */
async function runBesideReplicas<Context, Reply>(
  { method, usesPrimary }: Pick<ErasedOperation<Context>, 'method' | 'usesPrimary'>,
  { routing, contextOn }: ReplicaReads<Context>,
  callers: readonly WriterKey[],
  run: (context: Context) => Promise<Reply>,
  primaryContext: Context,
): Promise<Reply> {
  if (method === 'GET' && !usesPrimary) return await routing.run(callers, (db) => run(contextOn(db)))
  try {
    return await run(primaryContext)
  } finally {
    // A request that failed may have written a part.
    routing.wrote(callers)
  }
}
