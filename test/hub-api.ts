import Fastify, { type FastifyInstance } from 'fastify'
import { afterAll } from 'vitest'
import { createHub } from '../src/hub/create-hub.js'
import type { Hub } from '../src/hub/hub.js'
import { createEventTail } from '../src/hub/log/tail.js'
import type { HubApi, HubApiConfig } from '../src/hub/methods/http/hub-api.js'
import { registerHubApi } from '../src/hub/methods/http/register-hub-api.js'
import type { Database } from '../src/platform/db/connection.js'
import { allowAnyOrigin } from '../src/platform/http/cors.js'
import { createWorkLimits } from '../src/platform/limits/work-limits.js'
import { FarcasterNetwork } from '../src/protocol/definitions.js'
import { createVerifyPool } from '../src/protocol/verify-pool.js'
import { testNowUnix } from './network.js'

export interface TestHubApi {
  readonly app: FastifyInstance
  readonly hub: Hub
  get(path: string, headers?: Record<string, string>): Promise<TestReply>
  post(path: string, body: Buffer | string, headers?: Record<string, string>): Promise<TestReply>
}

export interface TestReply {
  readonly status: number
  /** The parsed JSON of any shape. */
  readonly body: ReturnType<typeof JSON.parse>
  readonly text: string
  readonly headers: Readonly<Record<string, unknown>>
}

interface Options extends Partial<Omit<HubApi, 'config' | 'hub' | 'tail' | 'db'>> {
  readonly config?: Partial<HubApiConfig>
  /** Replaces the merging hub. */
  readonly hub?: Hub
}

/**
 * Starts a hub and its HTTP API on a database, without the rest of the server. Closed after the file's last
 * test.
 */
export async function openHubApi(db: Database, options: Options = {}): Promise<TestHubApi> {
  const { config, hub: providedHub, ...rest } = options
  const shards = config?.shards ?? 1
  const clock = options.clock ?? (() => testNowUnix * 1000)
  const verifyPool = createVerifyPool({ threads: 0 })
  const network = FarcasterNetwork.DEVNET
  const hub = providedHub ?? (await createHub({ db, network, shards, verifyPool, clock }))
  const tail = createEventTail(db, { pollMs: 200 })
  const app = Fastify()
  allowAnyOrigin(app)
  await registerHubApi(app, {
    db,
    hub,
    tail,
    clock,
    version: '1.2.3',
    workLimits: createWorkLimits({ clock: Date.now }),
    ...rest,
    config: { shards, network, bodyLimit: 1024 * 1024, rateLimit: 0, ...config },
  })
  afterAll(async () => {
    await app.close()
    await tail.close()
    await hub.close()
  })

  async function inject(
    method: 'GET' | 'POST',
    url: string,
    headers: Record<string, string>,
    payload?: Buffer | string,
  ): Promise<TestReply> {
    const reply = await app.inject({ method, url, headers, ...(payload === undefined ? {} : { payload }) })
    const isJson = String(reply.headers['content-type']).startsWith('application/json')
    return {
      status: reply.statusCode,
      body: isJson ? reply.json() : undefined,
      text: reply.body,
      headers: reply.headers,
    }
  }
  return {
    app,
    hub,
    get: (path, headers = {}) => inject('GET', path, headers),
    post: (path, body, headers = {}) =>
      inject('POST', path, { 'content-type': 'application/octet-stream', ...headers }, body),
  }
}
