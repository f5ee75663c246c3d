import { randomInt } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Log } from '../log/log.js'
import { processIdentity } from '../process/process-identity.js'
import {
  CLUSTER_ROLE,
  type ClusterLocation,
  ClusterStartError,
  initCluster,
  type RunningCluster,
  startCluster,
  stopCluster,
} from './cluster.js'
import { readPostmaster, runsIn } from './cluster-process.js'
import { connect } from './connection.js'
import {
  clusterDirectory,
  createPassword,
  findClusterLocation,
  hasCluster,
  openDataDir,
  readPassword,
} from './data-dir.js'
import { lockDataDir } from './data-dir-lock.js'

export interface EmbeddedOptions {
  /** `DATA_DIR`. */
  readonly dataDir: string
  /** What this process runs, for the message that another one gets. */
  readonly command: string
  readonly log: Log
  /** Over the settings below: tests switch `fsync` off. */
  readonly settings?: Readonly<Record<string, string>>
  /** False: a signal of our terminal reaches PostgreSQL too. */
  readonly detached?: boolean
  /** Instead of `/var/lib/plaza`. */
  readonly systemDir?: string
}

/** PostgreSQL, run by us for as long as this process lives. */
export interface EmbeddedDatabase {
  readonly url: string
  /** It was still running from a process that was killed. */
  readonly isReused: boolean
  /** Shuts PostgreSQL down, waits for it, and gives the data directory back. */
  stop(): Promise<void>
  /** Tells PostgreSQL to end at once, and waits for nothing. Its next start recovers. */
  abort(): void
}

const DATABASE = 'plaza'

/** Sized for a small machine; whoever outgrows it has a PostgreSQL of their own and sets `DATABASE_URL`. */
const SETTINGS = {
  cluster_name: 'plaza',
  shared_buffers: '256MB',
  // Fewer checkpoints mean fewer full page images in the log; recovery reads at most this much.
  max_wal_size: '2GB',
  checkpoint_timeout: '15min',
  log_checkpoints: 'off',
  // Disks are flash; statements are short, and compiling one costs more than it saves.
  random_page_cost: '1.1',
  jit: 'off',
  // The sessions of a server that was killed end, even inside a long statement, and give their locks back.
  client_connection_check_interval: '1s',
  timezone: 'UTC',
  log_timezone: 'UTC',
}

/** Ports below the ranges from which systems hand out ports by themselves (Linux from 32768 on), so that
 * after a crash of PostgreSQL the same one is still free. */
const PORTS = { from: 20_000, below: 32_000 }
const PORT_ATTEMPTS = 20

const ANSWER_LIMIT_MS = 30_000
const IN_USE_LIMIT_MS = 15_000
const RETRY_MS = 100
const WATCH_MS = 200
const RESTART_PAUSE_MS = 1_000

/**
 * Takes the data directory, makes a cluster in it at the first start, and starts it, or goes on with the
 * one that a killed server left running. If PostgreSQL dies later it is started again on the same port.
 * Throws `DataDirBusyError` when another process has the directory.
 */
export async function startEmbedded(options: EmbeddedOptions): Promise<EmbeddedDatabase> {
  const dataDir = await openDataDir(options.dataDir)
  const unlock = lockDataDir(dataDir, options.command)
  try {
    const location = await findClusterLocation(dataDir, options.log, options.systemDir)
    const password = await prepareCluster(dataDir, location, options)
    const reusedCluster = await reuseRunningCluster(location, password, options.log)
    const running = reusedCluster ?? (await startOnFreePort(location, options))
    const url = clusterUrl(password, running.port, DATABASE)
    await createDatabase(clusterUrl(password, running.port, 'postgres'))
    const facts = { port: running.port, directory: location.directory, user: location.user?.name }
    options.log.info(
      facts,
      reusedCluster === null ? 'PostgreSQL started' : 'PostgreSQL was still running: adopted',
    )
    const supervisor = superviseCluster(location, running, options)
    return {
      url,
      isReused: reusedCluster !== null,
      stop: () => supervisor.stop().finally(unlock),
      abort: () => {
        supervisor.abort()
        unlock()
      },
    }
  } catch (error) {
    unlock()
    throw error
  }
}

/** Address of the PostgreSQL that another process runs for this data directory; null if none runs. */
export async function findEmbedded(dataDir: string): Promise<string | null> {
  const password = await readPassword(dataDir)
  const directory = await clusterDirectory(dataDir)
  const postmaster = await readPostmaster(directory)
  if (password === null || !postmaster?.ready || !runsIn(postmaster.pid, directory)) return null
  return clusterUrl(password, postmaster.port, DATABASE)
}

function clusterUrl(password: string, port: number, database: string): string {
  return `postgres://${CLUSTER_ROLE}:${password}@127.0.0.1:${port}/${database}`
}

/** Makes the cluster if there is none; returns its password. */
async function prepareCluster(
  dataDir: string,
  location: ClusterLocation,
  { log, settings }: EmbeddedOptions,
): Promise<string> {
  const password = await readPassword(dataDir)
  if (!(await hasCluster(location))) {
    log.info({ directory: location.directory }, 'making a new database')
    const currentPassword = password ?? (await createPassword(dataDir))
    await initCluster(location, currentPassword, { sync: settings?.fsync !== 'off' })
    return currentPassword
  }
  if (password === null) {
    throw new Error(`${dataDir} holds a database but not its password (postgres.password): restore that file`)
  }
  const version = (await readFile(join(location.directory, 'PG_VERSION'), 'utf8')).trim()
  const postgresMajor = location.binaries.version.split('.')[0]
  if (version !== postgresMajor) {
    throw new Error(
      `the database in ${location.directory} was made by PostgreSQL ${version}, this build brings ${postgresMajor}: move it with pg_dump`,
    )
  }
  return password
}

/** After `kill -9` of a server its PostgreSQL lives on. If it answers it is ours; else it is stopped. */
async function reuseRunningCluster(
  location: ClusterLocation,
  password: string,
  log: Log,
): Promise<RunningCluster | null> {
  const deadline = Date.now() + ANSWER_LIMIT_MS
  for (;;) {
    const found = await readPostmaster(location.directory)
    if (found === null || !runsIn(found.pid, location.directory)) return null
    if (found.ready && (await acceptsConnections(clusterUrl(password, found.port, 'postgres')))) return found
    if (Date.now() > deadline) {
      log.warn({ pid: found.pid }, 'a PostgreSQL of an earlier start does not answer: stopping it')
      await stopCluster(found.pid, location.directory)
      return null
    }
    await sleep(RETRY_MS)
  }
}

async function acceptsConnections(url: string): Promise<boolean> {
  const db = connect(url, {
    poolSize: 1,
    applicationName: 'plaza start',
    statementTimeoutMs: ANSWER_LIMIT_MS,
  })
  try {
    await db`select 1`
    return true
  } catch {
    return false
  } finally {
    await db.end({ timeout: 1 })
  }
}

/** Starts on a free port. Children of a PostgreSQL that was just killed may still hold its memory. */
async function startOnFreePort(location: ClusterLocation, options: EmbeddedOptions): Promise<RunningCluster> {
  const deadline = Date.now() + IN_USE_LIMIT_MS
  for (;;) {
    try {
      return await startCluster(location, startOptions(await freePort(), options))
    } catch (error) {
      const isTransient = error instanceof ClusterStartError && (error.portTaken || error.stillInUse)
      if (!isTransient || Date.now() > deadline) throw error
      await sleep(RETRY_MS)
    }
  }
}

function startOptions(port: number, { settings, detached = true }: EmbeddedOptions) {
  return { port, detached, settings: { ...SETTINGS, ...settings } }
}

async function freePort(): Promise<number> {
  for (let attempt = 0; attempt < PORT_ATTEMPTS; attempt += 1) {
    const port = randomInt(PORTS.from, PORTS.below)
    if (await isFree(port)) return port
  }
  throw new Error(`found no free port for PostgreSQL between ${PORTS.from} and ${PORTS.below}`)
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const probe = createServer()
    probe.once('error', () => resolve(false))
    probe.listen({ port, host: '127.0.0.1', exclusive: true }, () => probe.close(() => resolve(true)))
  })
}

async function createDatabase(url: string): Promise<void> {
  const db = connect(url, { poolSize: 1, applicationName: 'plaza start' })
  try {
    const found = await db`select 1 from pg_database where datname = ${DATABASE}`
    if (found.length === 0) await db`create database ${db(DATABASE)}`
  } finally {
    await db.end({ timeout: 5 })
  }
}

/** Watches the process and starts it again when it is gone, until it is told to end both. */
function superviseCluster(
  location: ClusterLocation,
  first: RunningCluster,
  options: EmbeddedOptions,
): Pick<EmbeddedDatabase, 'stop' | 'abort'> {
  const { log } = options
  const stopping = new AbortController()
  let running = first
  let identity = processIdentity(first.pid)

  async function restart(): Promise<void> {
    log.error({ pid: running.pid }, 'PostgreSQL is gone: starting it again')
    while (!stopping.signal.aborted) {
      try {
        running = await startCluster(location, startOptions(first.port, options))
        identity = processIdentity(running.pid)
        log.info({ pid: running.pid, port: running.port }, 'PostgreSQL is back')
        return
      } catch (error) {
        log.error({ err: error }, 'PostgreSQL could not be started, trying again')
        await sleep(RESTART_PAUSE_MS, undefined, { signal: stopping.signal }).catch(() => undefined)
      }
    }
  }

  async function watch(): Promise<void> {
    while (!stopping.signal.aborted) {
      if (identity === null || processIdentity(running.pid) !== identity) await restart()
      await sleep(WATCH_MS, undefined, { signal: stopping.signal, ref: false }).catch(() => undefined)
    }
  }

  const watching = watch()
  return {
    async stop() {
      stopping.abort()
      await watching
      await stopCluster(running.pid, location.directory)
    },
    abort() {
      stopping.abort()
      if (identity !== null && processIdentity(running.pid) === identity) process.kill(running.pid, 'SIGQUIT')
    },
  }
}
