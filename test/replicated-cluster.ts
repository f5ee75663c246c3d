import { execFile } from 'node:child_process'
import { chown, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, expect } from 'vitest'
import {
  CLUSTER_ROLE,
  type ClusterLocation,
  initCluster,
  type RunningCluster,
  startCluster,
  stopCluster,
} from '../src/platform/db/cluster.js'
import { processesIn } from '../src/platform/db/cluster-process.js'
import { connect, type Database } from '../src/platform/db/connection.js'
import { findClusterLocation } from '../src/platform/db/data-dir.js'
import { migrate } from '../src/platform/db/migrate.js'
import { silentLog } from '../src/platform/log/log.js'
import { freePort } from '../src/platform/process/free-port.js'
import { makeTestDir } from './stale-test-dirs.js'

/** A primary with a streaming replica, both for one test file. */
export interface ReplicatedCluster {
  readonly primary: Primary
  readonly replica: Replica
}

/** The primary, which can be frozen as the replica can. */
export interface Primary extends Pick<Replica, 'freeze' | 'unfreeze'> {
  readonly url: string
  readonly db: Database
}

/** The replica, and what can happen to it. */
export interface Replica {
  readonly url: string
  /** `host:port`, its name in metrics. */
  readonly name: string
  readonly db: Database
  /** Stops replaying the primary's log. It lags from the next write on. */
  pauseReplay(): Promise<void>
  resumeReplay(): Promise<void>
  /** Ends its processes as `kill -9` does. */
  kill(): Promise<void>
  start(): Promise<void>
  /** Stops its processes without ending them: connections stay open, and nothing answers. */
  freeze(): void
  unfreeze(): void
  /** Waits until it has replayed all that the primary has now. */
  catchUp(): Promise<void>
}

const PASSWORD = 'plaza'
const SETTINGS = { fsync: 'off', full_page_writes: 'off', shared_buffers: '32MB', max_connections: '100' }

/** Starts a migrated primary and its replica; they end with the test file. */
export async function startReplicatedCluster(): Promise<ReplicatedCluster> {
  const dataDir = await makeTestDir()
  const first = await findClusterLocation(dataDir, silentLog)
  await initCluster(first, PASSWORD, { sync: false })
  const second = await copyAsStandby(first, dataDir)
  const primaryPort = await freePort()
  const running = await startCluster(first, { port: primaryPort, settings: SETTINGS, detached: false })
  // Not before: others take ports while the primary starts.
  const replicaPort = await freePort()
  const startReplica = () =>
    startCluster(second, {
      port: replicaPort,
      settings: {
        ...SETTINGS,
        primary_conninfo: `host=127.0.0.1 port=${primaryPort} user=${CLUSTER_ROLE} password=${PASSWORD}`,
        wal_retrieve_retry_interval: '100ms',
      },
      detached: false,
    })
  let runningReplica: RunningCluster | null = await startReplica()
  const admin = connectTo(primaryPort, 'postgres')
  await admin`create database plaza`
  await admin.end()
  await migrate(urlOf(primaryPort), silentLog)
  const primary = connectTo(primaryPort)
  const replicaDb = connectTo(replicaPort)

  async function kill(): Promise<void> {
    if (runningReplica === null) return
    process.kill(runningReplica.pid, 'SIGKILL')
    runningReplica = null
    await expect.poll(() => processesIn(second.directory)).toEqual([])
  }

  afterAll(async () => {
    await Promise.all([primary, replicaDb].map((db) => db.end({ timeout: 1 })))
    if (runningReplica !== null) await stopCluster(runningReplica.pid, second.directory)
    await stopCluster(running.pid, first.directory)
    await rm(dataDir, { recursive: true, force: true })
  })
  const replica = {
    url: urlOf(replicaPort),
    name: `127.0.0.1:${replicaPort}`,
    db: replicaDb,
    ...replayOf(primary, replicaDb),
    kill,
    freeze: () => signalAll(second, 'SIGSTOP'),
    unfreeze: () => signalAll(second, 'SIGCONT'),
    async start() {
      runningReplica = await startReplica()
    },
  }
  return {
    primary: {
      url: urlOf(primaryPort),
      db: primary,
      freeze: () => signalAll(first, 'SIGSTOP'),
      unfreeze: () => signalAll(first, 'SIGCONT'),
    },
    replica,
  }
}

/** What the replica replays of the primary's log. */
function replayOf(
  primary: Database,
  replicaDb: Database,
): Pick<Replica, 'pauseReplay' | 'resumeReplay' | 'catchUp'> {
  return {
    async pauseReplay() {
      await replicaDb`select pg_wal_replay_pause()`
      const state = async () => (await replicaDb`select pg_get_wal_replay_pause_state() as state`)[0]?.state
      await expect.poll(state).toBe('paused')
    },
    async resumeReplay() {
      await replicaDb`select pg_wal_replay_resume()`
    },
    async catchUp() {
      const [end] = await primary<{ lsn: string }[]>`select pg_current_wal_flush_lsn()::text as lsn`
      const isReplayed = async () =>
        (await replicaDb`select pg_last_wal_replay_lsn() >= ${end!.lsn}::pg_lsn as "isReplayed"`)[0]
          ?.isReplayed
      await expect.poll(isReplayed, { interval: 10 }).toBe(true)
    },
  }
}

/** A process that ends at this moment is none that has to be stopped. */
function signalAll({ directory }: ClusterLocation, signal: 'SIGSTOP' | 'SIGCONT'): void {
  for (const pid of processesIn(directory)) {
    try {
      process.kill(pid, signal)
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
    }
  }
}

/** A cluster that never ran needs no backup: its copy starts where it starts, and streams everything. */
async function copyAsStandby(first: ClusterLocation, dataDir: string): Promise<ClusterLocation> {
  const directory = join(dataDir, 'replica')
  await promisify(execFile)('cp', ['-a', first.directory, directory])
  const signal = join(directory, 'standby.signal')
  await writeFile(signal, '', { mode: 0o600 })
  if (first.user !== null) await chown(signal, first.user.uid, first.user.gid)
  return { ...first, directory, logFile: join(dataDir, 'replica.log') }
}

function urlOf(port: number, database = 'plaza'): string {
  return `postgres://${CLUSTER_ROLE}:${PASSWORD}@127.0.0.1:${port}/${database}`
}

function connectTo(port: number, database = 'plaza'): Database {
  return connect(urlOf(port, database), { poolSize: 4, applicationName: 'plaza test' })
}
