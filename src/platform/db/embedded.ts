import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { reportFirstFailure } from '../log/first-failure.js'
import type { Log } from '../log/log.js'
import { freePort } from '../process/free-port.js'
import {
  CLUSTER_ROLE,
  type ClusterLocation,
  ClusterStartError,
  initCluster,
  type RunningCluster,
  startCluster,
  stopCluster,
} from './cluster.js'
import { OwnPostmaster, readPostmaster, refuseOtherContainer, runsIn } from './cluster-process.js'
import { connect } from './connection.js'
import {
  boundClusterLog,
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
  /** The command of this process, for the error message in another process. */
  readonly command: string
  readonly log: Log
  /** Overrides the settings below: tests turn `fsync` off. */
  readonly settings?: Readonly<Record<string, string>>
  /** False: PostgreSQL also receives signals of the terminal. */
  readonly detached?: boolean
  /** Replaces `/var/lib/plaza`. */
  readonly systemDir?: string
  /** Called before a cluster is created. */
  readonly onCreate?: () => void
  /**
   * Called before PostgreSQL starts, whose recovery may take minutes, with what stops it immediately without waiting, whatever it is
   * at: for a process that is stopped twice. Its next start recovers.
   */
  readonly onStart?: ((abort: () => void) => void) | undefined
}

/** A PostgreSQL that runs as long as this process. */
export interface EmbeddedDatabase {
  /** By TCP, for any client. */
  readonly url: string
  /** By its Unix socket, for this server and its commands; by TCP where it has none. */
  readonly socketUrl: string
  /** True if it was still running after its process was killed. */
  readonly isReused: boolean
  /** Stops PostgreSQL, waits for it, and unlocks the data directory. */
  stop(): Promise<void>
}

const DATABASE = 'plaza'

/** Settings for a small machine. Larger installations set `DATABASE_URL`. */
const SETTINGS = {
  cluster_name: 'plaza',
  shared_buffers: '256MB',
  // Fewer checkpoints write fewer full page images; recovery reads at most this much.
  max_wal_size: '2GB',
  checkpoint_timeout: '15min',
  log_checkpoints: 'off',
  // A vacuum of what is in memory took most of a core of two, for seconds after each load of data. It takes five times as long now.
  autovacuum_vacuum_cost_delay: '10ms',
  // Disks are flash; statements are short, and JIT compilation costs more than it saves.
  random_page_cost: '1.1',
  jit: 'off',
  // Ends sessions of a killed server, also inside a long statement, and releases their locks.
  client_connection_check_interval: '1s',
  // The client logs its errors. Statements of several kB in this log, too, would fill the disk during an overload.
  log_min_error_statement: 'panic',
  timezone: 'UTC',
  log_timezone: 'UTC',
}

const ANSWER_LIMIT_MS = 30_000
const IN_USE_LIMIT_MS = 15_000
const RETRY_MS = 100
const WATCH_MS = 200
const LOG_WATCH_MS = 60_000
const RESTART_PAUSE_MS = 1_000

/**
 * Locks the data directory, creates a cluster on the first start, and starts it, or reuses one that a killed
 * server left running. If PostgreSQL dies later, it is restarted on the same port. Throws `DataDirBusyError`
 * if another process holds the directory, and `OtherContainerError` if one of another container does.
 */
export async function startEmbedded(options: EmbeddedOptions): Promise<EmbeddedDatabase> {
  const dataDir = await openDataDir(options.dataDir)
  // Before the lock, which looks stale to a process that does not see its owner.
  await refuseOtherContainer(await clusterDirectory(dataDir))
  const unlock = lockDataDir(dataDir, options.command)
  let isUnlocked = false
  function release(): void {
    isUnlocked = true
    unlock()
  }
  const own: OwnCluster = { postmaster: new OwnPostmaster(), stopping: new AbortController() }
  try {
    const location = await findClusterLocation(dataDir, options.log, options.systemDir)
    options.onStart?.(() => {
      // Another process may have its own PostgreSQL there by now.
      if (isUnlocked) return
      own.stopping.abort()
      own.postmaster.kill()
      try {
        release()
      } catch {
        // No file may be opened. A lock without its process is stale.
      }
    })
    const password = await prepareCluster(dataDir, location, options)
    const reusedCluster = await reuseRunningCluster(location, password, options.log, own)
    const running = reusedCluster ?? (await startOnFreePort(location, options, own))
    await createDatabase(clusterUrl(password, running, 'postgres'))
    const facts = { port: running.port, directory: location.directory, user: location.user?.name }
    options.log.info(facts, reusedCluster === null ? 'PostgreSQL started' : 'reused a running PostgreSQL')
    const stop = superviseCluster(location, running, { ...options, ...own })
    return {
      url: clusterUrl(password, running, DATABASE),
      socketUrl: socketUrlOf(password, running),
      isReused: reusedCluster !== null,
      stop: () => stop().finally(release),
    }
  } catch (error) {
    own.postmaster.kill()
    release()
    throw error
  }
}

/** The PostgreSQL of this process, and the end of its supervision. */
interface OwnCluster {
  readonly postmaster: OwnPostmaster
  readonly stopping: AbortController
}

/** Returns the URL of the PostgreSQL that another process runs for this data directory, or null. */
export async function findEmbedded(dataDir: string): Promise<string | null> {
  const password = await readPassword(dataDir)
  const directory = await clusterDirectory(dataDir)
  const postmaster = await readPostmaster(directory)
  if (password === null || !postmaster?.ready || !runsIn(postmaster.pid, directory)) return null
  return socketUrlOf(password, postmaster)
}

function clusterUrl(password: string, { port }: Pick<RunningCluster, 'port'>, database: string): string {
  return `postgres://${CLUSTER_ROLE}:${password}@127.0.0.1:${port}/${database}`
}

function socketUrlOf(
  password: string,
  { port, socketDirectory }: Pick<RunningCluster, 'port' | 'socketDirectory'>,
): string {
  const url = clusterUrl(password, { port }, DATABASE)
  return socketDirectory === null ? url : `${url}?host=${encodeURIComponent(socketDirectory)}&port=${port}`
}

/** Creates the cluster if necessary, and returns its password. */
async function prepareCluster(
  dataDir: string,
  location: ClusterLocation,
  { log, settings, onCreate }: EmbeddedOptions,
): Promise<string> {
  const password = await readPassword(dataDir)
  if (!hasCluster(location.directory)) {
    onCreate?.()
    log.info({ directory: location.directory }, 'creating a database')
    const currentPassword = password ?? (await createPassword(dataDir))
    await initCluster(location, currentPassword, { sync: settings?.fsync !== 'off' })
    return currentPassword
  }
  if (password === null) {
    throw new Error(
      `${dataDir} contains a database but not its password (postgres.password): restore that file`,
    )
  }
  const version = (await readFile(join(location.directory, 'PG_VERSION'), 'utf8')).trim()
  const postgresMajor = location.binaries.version.split('.')[0]
  if (version !== postgresMajor) {
    throw new Error(
      `the database in ${location.directory} was created by PostgreSQL ${version}, this build has ${postgresMajor}: migrate it with pg_dump`,
    )
  }
  return password
}

/** Reuses a PostgreSQL that survived `kill -9` of its server if it responds, or stops it. */
async function reuseRunningCluster(
  location: ClusterLocation,
  password: string,
  log: Log,
  { postmaster }: OwnCluster,
): Promise<RunningCluster | null> {
  const deadline = performance.now() + ANSWER_LIMIT_MS
  for (;;) {
    const found = await readPostmaster(location.directory)
    if (found === null || !runsIn(found.pid, location.directory)) return null
    postmaster.follow(found.pid)
    if (found.ready && (await acceptsConnections(clusterUrl(password, found, 'postgres')))) return found
    if (performance.now() > deadline) {
      log.warn({ pid: found.pid }, 'PostgreSQL of an earlier start does not respond: stopping it')
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

/** Starts on a free port. Retries while child processes of a killed PostgreSQL hold its memory. */
async function startOnFreePort(
  location: ClusterLocation,
  options: EmbeddedOptions,
  own: OwnCluster,
): Promise<RunningCluster> {
  const deadline = performance.now() + IN_USE_LIMIT_MS
  for (;;) {
    try {
      return await startCluster(location, startOptions(await freePort(), options, own))
    } catch (error) {
      const isTransient = error instanceof ClusterStartError && (error.portTaken || error.stillInUse)
      if (!isTransient || performance.now() > deadline) throw error
      await sleep(RETRY_MS)
    }
  }
}

function startOptions(
  port: number,
  { settings, detached = true }: EmbeddedOptions,
  { postmaster, stopping }: OwnCluster,
) {
  return {
    port,
    detached,
    settings: { ...SETTINGS, ...settings },
    signal: stopping.signal,
    onSpawn: (pid: number) => postmaster.follow(pid),
  }
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

/** The PostgreSQL that runs there after all: one whose start was taken for a failure. */
async function findRunning({ directory }: ClusterLocation, port: number): Promise<RunningCluster | null> {
  const found = await readPostmaster(directory)
  return found?.ready && found.port === port && runsIn(found.pid, directory) ? found : null
}

/** Keeps the log of PostgreSQL short until the signal aborts. */
async function watchLog(logFile: string, log: Log, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    await boundClusterLog(logFile).catch((error: unknown) => {
      log.warn({ err: error }, 'cannot shorten the log of PostgreSQL')
    })
    await sleep(LOG_WATCH_MS, undefined, { signal, ref: false }).catch(() => undefined)
  }
}

/** Restarts PostgreSQL when its process ends, until it is stopped. Returns what stops it. */
function superviseCluster(
  location: ClusterLocation,
  first: RunningCluster,
  { postmaster, stopping, ...options }: EmbeddedOptions & OwnCluster,
): () => Promise<void> {
  const { log } = options
  let running = first
  let canLook = true

  const tryToRestart = reportFirstFailure(
    async () => {
      running =
        (await findRunning(location, first.port)) ??
        (await startCluster(location, startOptions(first.port, options, { postmaster, stopping })))
      postmaster.follow(running.pid)
      log.info({ pid: running.pid, port: running.port }, 'PostgreSQL restarted')
    },
    (error) =>
      log.error({ err: error }, 'PostgreSQL restart failed: repeated each second, and not logged again'),
  )

  async function restart(): Promise<void> {
    log.error({ pid: running.pid }, 'PostgreSQL ended unexpectedly: restarting it')
    while (!stopping.signal.aborted) {
      if (await tryToRestart()) return
      await sleep(RESTART_PAUSE_MS, undefined, { signal: stopping.signal }).catch(() => undefined)
    }
  }

  /** A process that may open no more files sees nothing. It must not restart a PostgreSQL that runs. */
  function hasEnded(): boolean {
    try {
      const isGone = postmaster.hasEnded()
      canLook = true
      return isGone
    } catch (error) {
      if (canLook)
        log.warn({ err: error }, 'cannot tell whether PostgreSQL runs: raise the limit of open files')
      canLook = false
      return false
    }
  }

  async function watch(): Promise<void> {
    while (!stopping.signal.aborted) {
      if (hasEnded()) await restart()
      await sleep(WATCH_MS, undefined, { signal: stopping.signal, ref: false }).catch(() => undefined)
    }
  }

  const watching = Promise.all([watch(), watchLog(location.logFile, log, stopping.signal)])
  return async () => {
    stopping.abort()
    await watching
    await stopCluster(running.pid, location.directory)
  }
}
