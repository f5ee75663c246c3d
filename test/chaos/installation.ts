import { onTestFinished } from 'vitest'
import { connect, type Database } from '../../src/platform/db/connection.js'
import { loadEnv, registerLoadUsers } from '../cluster/load-users.js'
import type { LoadTarget } from '../cluster/mixed-load.js'
import { TestUser } from '../network.js'
import { startTcpProxy } from '../tcp-proxy.js'
import { type Receiver, startReceiver } from '../webhooks/receiver.js'
import { startChaosDatabase } from './chaos-database.js'
import type { Installation } from './faults.js'
import { RoleProcess } from './role-process.js'

/** The kinds of events that the webhook of the run subscribes to. */
const WEBHOOK_KINDS = [
  ...[
    'cast.created',
    'cast.deleted',
    'follow.created',
    'follow.deleted',
    'reaction.created',
    'reaction.deleted',
  ],
] as const

/** Everything that a run needs: an installation of separate roles, its users, and a receiver of webhooks. */
export interface ChaosPlaza extends Installation, LoadTarget {
  /** Without a proxy. */
  readonly db: Database
  readonly receiver: Receiver
}

const USERS = 4

/** Starts two API processes, a worker and a sync process on a PostgreSQL of their own, for a test. */
export async function startInstallation(): Promise<ChaosPlaza> {
  const database = await startChaosDatabase()
  const start = (name: string, roles: string) =>
    RoleProcess.start(name, { roles, databaseUrl: database.url, env: loadEnv })
  const first = await start('the first API', 'api')
  const [second, worker, sync] = await Promise.all([
    start('the second API', 'api'),
    start('the worker', 'worker'),
    start('the sync process', 'sync'),
  ])
  const db = connect(database.url, { poolSize: 2, applicationName: 'chaos run' })
  onTestFinished(() => db.end({ timeout: 5 }))
  const users = Array.from({ length: USERS }, (_, n) => new TestUser(n + 1))
  const signerUuid = await registerLoadUsers(db, users)
  const receiver = await startReceiver()
  const target = new URL(receiver.url)
  const targets = await startTcpProxy(target.host)
  target.host = targets.address
  await subscribe(first.url, target.href)
  return {
    database,
    db,
    processes: [first, second, worker, sync],
    apis: [first, second],
    users,
    signerUuid,
    receiver,
    targets,
  }
}

async function subscribe(serverUrl: string, targetUrl: string): Promise<void> {
  const subscription = Object.fromEntries(WEBHOOK_KINDS.map((kind) => [kind, {}]))
  const reply = await fetch(`${serverUrl}/v2/farcaster/webhook`, {
    method: 'POST',
    headers: { 'x-api-key': loadEnv.PLAZA_DEV_API_KEY, 'content-type': 'application/json' },
    body: JSON.stringify({ name: 'chaos', url: targetUrl, subscription }),
  })
  if (!reply.ok) throw new Error(await reply.text())
}
