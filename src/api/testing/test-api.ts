import { FormatRegistry } from '@sinclair/typebox'
import { Value } from '@sinclair/typebox/value'
import type { FastifyInstance, LightMyRequestResponse } from 'fastify'
import { createApiKey } from '../../apps/api-keys.js'
import { ensureApp } from '../../apps/apps.js'
import { createKeyRing } from '../../apps/key-ring.js'
import type { Database } from '../../db/connection.js'
import { refuse } from '../../errors.js'
import { Hydrator } from '../../hydrate/hydrator.js'
import { createLogger } from '../../lib/logger.js'
import { createMetrics } from '../metrics.js'
import type { Operation, OperationContext } from '../operation.js'
import { operations as allOperations } from '../operations.js'
import { createRateLimiter } from '../rate-limit.js'
import { registerApi } from '../register-api.js'
import { registerDocs } from '../register-docs.js'
import { buildServer } from '../server.js'

FormatRegistry.Set('date-time', (text) => !Number.isNaN(Date.parse(text)) && text.endsWith('Z'))
FormatRegistry.Set('uri', (text) => URL.canParse(text))

export interface TestApiOptions extends Partial<OperationContext> {
  readonly db: Database
  readonly operations?: readonly Operation[]
  /** Requests per minute and key. */
  readonly rateLimit?: number
  /** A key to ask with, instead of one that is made. */
  readonly key?: string
}

export interface TestApi {
  readonly app: FastifyInstance
  /** A key that is good. */
  readonly key: string
  /** Lines of the log. */
  readonly lines: string[]
  /**
   * Asks with the good key: `get('storage/usage', { fid: 1 })`. A reply that breaks the schema of its operation is a
   * 500, and its line of the log tells where.
   */
  get(
    path: string,
    query?: Readonly<Record<string, string | number | boolean>>,
  ): Promise<LightMyRequestResponse>
}

/** The API as the server has it, without a socket. Close `app` or leave it: it holds nothing. */
export async function createTestApi(options: TestApiOptions): Promise<TestApi> {
  const {
    db,
    clock = Date.now,
    operations = allOperations,
    rateLimit = 0,
    key = await createTestKey(db),
    ...more
  } = options
  const lines: string[] = []
  const log = createLogger('debug', { write: (line: string) => lines.push(line) })
  const keyRing = createKeyRing(db, clock)
  const checked = operations.map(checkingReplies)
  const app = await buildServer({
    log,
    metrics: createMetrics(),
    trustProxy: false,
    routes: [
      (scope) =>
        registerApi(scope, {
          operations: checked,
          // Nothing is kept ready: what a test writes is what it reads.
          context: {
            crawler: { crawlNow: async () => refuse('unavailable', 'nothing is crawled in this test') },
            hydrator: new Hydrator({ db, clock, placeOf: () => null, maxEntries: 0 }),
            ...more,
            db,
            clock,
          },
          findCaller: keyRing.find,
          rateLimiter: createRateLimiter(rateLimit, clock),
        }),
      (scope) => registerDocs(scope, operations),
    ],
  })
  return {
    app,
    key,
    lines,
    get: (path, query = {}) =>
      app.inject({
        url: `/v2/farcaster/${path}`,
        query: Object.fromEntries(Object.entries(query).map(([name, value]) => [name, String(value)])),
        headers: { 'x-api-key': key },
      }),
  }
}

/** Makes a key of an app named `test`. */
async function createTestKey(db: Database): Promise<string> {
  return createApiKey(db, { appId: await ensureApp(db, 'test') })
}

function checkingReplies(operation: Operation): Operation {
  return {
    ...operation,
    run: async (...request) => {
      const json = await operation.run(...request)
      const [wrong] = Value.Errors(operation.reply, JSON.parse(json.toString()))
      if (wrong) throw new Error(`reply of ${operation.path}: ${wrong.path} ${wrong.message}`)
      return json
    },
  }
}
