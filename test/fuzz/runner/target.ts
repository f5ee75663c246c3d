import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { resolve } from 'node:path'
import { validSamples } from '../../../src/protocol/testing/sample-messages.js'
import type { TestDatabase } from '../../database.js'
import { type ServerProcess, startServerProcess } from '../../server-process.js'
import {
  type OpenApiDocument,
  type OperationUnderTest,
  operationsOf,
} from '../generator/documented-operations.js'
import type { RequestSource } from '../generator/generate.js'
import type { KnownValues } from '../generator/known-values.js'
import { versionOneDocument } from '../generator/version-one-document.js'
import { fillNetwork, fuzzUser, readKnownValues } from './network.js'

const API_KEY = 'a-key-for-the-fuzzer'
const ADMIN_TOKEN = 'an-admin-token-for-the-fuzzer-of-this-run'
const SECRET_KEY = 'a-secret-key-for-the-fuzzer-of-this-run'
const VICTIMS = 3

/** A server with a network, and what requests to it are made from. */
export interface FuzzTarget {
  readonly server: ServerProcess
  readonly source: RequestSource
  readonly httpUrl: URL
  /** `http://127.0.0.1:<port>` */
  readonly grpcUrl: string
}

export interface TargetOptions {
  readonly database: TestDatabase
  readonly dataDir: string
  readonly onEnd: (end: () => Promise<void>) => void
}

/** Starts the built server on a database with a small network. It reaches nothing outside this machine. */
export async function startTarget({ database, dataDir, onEnd }: TargetOptions): Promise<FuzzTarget> {
  const { db, url } = database
  const targetUrl = await startPage(onEnd)
  const env = envOf(url)
  // The first process creates the key of the app that the signers belong to.
  const server = await startServerProcess({ dataDir, env, atEnd: onEnd })
  const signers = await fillNetwork(db, SECRET_KEY)
  const httpUrl = new URL(server.url)
  const found = await readKnownValues(db)
  const known = { ...found, ...(await createVictims(httpUrl, targetUrl)), signers, targetUrl }
  const [, grpc] = /^hub over gRPC on (\S+)$/m.exec(server.output()) ?? []
  return {
    server,
    httpUrl,
    grpcUrl: `http://${grpc}`,
    source: {
      known,
      operations: await readOperations(httpUrl),
      credentials: { apiKey: API_KEY, adminToken: ADMIN_TOKEN },
      messages: { user: fuzzUser, samples: Object.values(await validSamples()) },
    },
  }
}

function envOf(databaseUrl: string): Record<string, string> {
  return {
    NODE_OPTIONS: `--inspect=127.0.0.1:0 --import=${resolve('test/fuzz/runner/offline.mjs')}`,
    DATABASE_URL: databaseUrl,
    LOG_LEVEL: 'warn',
    PLAZA_DEV_API_KEY: API_KEY,
    ADMIN_TOKEN,
    PLAZA_SECRET_KEY: SECRET_KEY,
    HUB_GRPC_PORT: '0',
    HUB_RATE_LIMIT: '0',
    // Oversize is then cheap to send.
    HUB_BODY_LIMIT: '65536',
    ALLOW_PRIVATE_TARGETS: 'loopback',
    WEBHOOK_ALLOW_HTTP: 'true',
    WEBHOOKS_PER_APP: '50',
    // Each request names a client of its own, so that the limits of addresses do not end the run.
    TRUST_PROXY: 'true',
    SCORE_INTERVAL_HOURS: '0',
    // Caches are soon full, so that memory which goes on growing is something else.
    VIEW_CACHE_ENTRIES: '500',
    VIEWER_SETS_MB: '2',
    RECENT_WINDOW_ENTRIES: '2000',
    PUBLIC_READS: 'true',
  }
}

/** What webhooks and embeds of the run lead to. */
async function startPage(onEnd: TargetOptions['onEnd']): Promise<string> {
  const page = createServer((request, response) => {
    request.resume()
    response.setHeader('content-type', 'text/html')
    response.end('<html><head><meta property="og:title" content="A page"></head></html>')
  })
  await new Promise<void>((started) => page.listen(0, '127.0.0.1', started))
  onEnd(async () => {
    page.closeAllConnections()
    await new Promise((closed) => page.close(closed))
  })
  return `http://127.0.0.1:${(page.address() as AddressInfo).port}`
}

/** The documents of the server: what it serves itself, and that of version 1, which it does not serve. */
async function readOperations(url: URL): Promise<OperationUnderTest[]> {
  const reply = await fetch(new URL('/openapi.json', url))
  const served = (await reply.json()) as OpenApiDocument
  return [
    ...operationsOf(served, (path) =>
      path.startsWith('/v2/social/')
        ? [path, path.replace('/social/', '/farcaster/').replace(/\/$/, '')]
        : [path],
    ),
    ...operationsOf(versionOneDocument(), (path) => [path]),
  ]
}

/** Creates what requests may change and delete. */
async function createVictims(
  url: URL,
  targetUrl: string,
): Promise<Pick<KnownValues, 'webhooks' | 'victimApps' | 'victimKeys'>> {
  const send = async (path: string, headers: Record<string, string>, body: object) => {
    const init = {
      method: 'POST',
      headers: { ...headers, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    }
    const reply = await fetch(new URL(path, url), init)
    const answer = (await reply.json()) as ReturnType<typeof JSON.parse>
    if (!reply.ok) throw new Error(`${path}: ${JSON.stringify(answer)}`)
    return answer
  }
  const admin = { authorization: `Bearer ${ADMIN_TOKEN}` }
  const webhooks: string[] = []
  const victimApps: string[] = []
  const victimKeys: string[] = []
  for (let n = 0; n < VICTIMS; n += 1) {
    const { app } = await send('/admin/apps', admin, { name: `victim ${n}` })
    victimApps.push(app.id)
    const { api_key: created } = await send(`/admin/apps/${app.id}/keys`, admin, {})
    victimKeys.push(String(created.id))
    const subscription = { 'cast.created': { author_fids: [1, 2, 3] }, 'follow.created': {} }
    const body = { name: `webhook ${n}`, url: `${targetUrl}/hook/${n}`, subscription }
    webhooks.push((await send('/v2/farcaster/webhook', { 'x-api-key': API_KEY }, body)).webhook.webhook_id)
  }
  return { webhooks, victimApps, victimKeys }
}
