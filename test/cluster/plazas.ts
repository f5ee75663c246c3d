import { chmod, mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll } from 'vitest'
import type { Cluster } from '../../deploy/cluster/cluster.mjs'
import { freeClusterPort } from '../../deploy/cluster/ports.mjs'
import { openCluster, startCluster } from '../../deploy/cluster/start-cluster.mjs'
import { connect, type Database } from '../../src/platform/db/connection.js'
import { processIdentity } from '../../src/platform/process/process-identity.js'
import { TestUser } from '../network.js'
import { type ServerProcess, startServerProcess } from '../server-process.js'
import { loadEnv, registerLoadUsers } from './load-users.js'

const PREFIX = 'plaza-cluster-'

/** A cluster with two API processes, a worker and a sync process, and users that may write. */
export interface Plazas {
  readonly cluster: Cluster
  /** The primary, whichever node it is. */
  readonly db: Database
  readonly apis: readonly [ServerProcess, ServerProcess]
  readonly users: readonly TestUser[]
  /** A managed signer of the first user. */
  readonly signerUuid: string
  /** Starts a further API process, until the file's last test. */
  startApi(): Promise<ServerProcess>
}

/** Starts everything for the tests of a file, at its top level. */
export async function startPlazas(): Promise<Plazas> {
  await removeStaleClusters()
  const dir = await mkdtemp(join(tmpdir(), `${PREFIX}${process.pid}-`))
  // PostgreSQL runs as another user if the tests run as root.
  await chmod(dir, 0o711)
  afterAll(() => rm(dir, { recursive: true, force: true }))
  const cluster = await startCluster(join(dir, 'cluster'), { port: await freeClusterPort() })
  afterAll(() => cluster.stop())
  const start = (roles: string) =>
    startServerProcess({ dataDir: dir, env: envOf(cluster, roles), atEnd: afterAll })
  const first = await start('api')
  const [second] = await Promise.all([start('api'), start('worker'), start('sync')])
  const db = connect(cluster.databaseUrl, { poolSize: 4, applicationName: 'cluster test' })
  afterAll(() => db.end({ timeout: 5 }))
  const users = [1, 2, 3, 4].map((fid) => new TestUser(fid))
  const signerUuid = await registerLoadUsers(db, users)
  return { cluster, db, apis: [first, second], users, signerUuid, startApi: () => start('api') }
}

/** Ends the clusters of killed runs and deletes their files. */
async function removeStaleClusters(): Promise<void> {
  for (const name of await readdir(tmpdir())) {
    const [, pid] = new RegExp(`^${PREFIX}(\\d+)-`).exec(name) ?? []
    if (pid === undefined || processIdentity(Number(pid)) !== null) continue
    const dir = join(tmpdir(), name)
    await openCluster(join(dir, 'cluster'))
      .then((cluster) => cluster.stop())
      .then(() => rm(dir, { recursive: true, force: true }))
      // It belongs to another user, or another run deletes it.
      .catch(() => {})
  }
}

function envOf(cluster: Cluster, roles: string): Record<string, string> {
  return {
    ...loadEnv,
    DATABASE_URL: cluster.databaseUrl,
    DATABASE_REPLICA_URL: cluster.replicaUrl,
    ROLES: roles,
  }
}
