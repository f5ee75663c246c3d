import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { errorCode } from '../errors.js'
import type { Log } from '../log/log.js'
import { pause } from '../process/pause.js'
import { isConnectionRefused, isLockTimeout, isUnavailable } from './connection-errors.js'
import { openDataDir } from './data-dir.js'
import { DataDirBusyError, type DataDirOwner, dataDirOwner } from './data-dir-lock.js'
import { type EmbeddedOptions, findEmbedded, startEmbedded } from './embedded.js'
import { migrate } from './migrate.js'
import { refuseTransactionPooling } from './pooling-check.js'

/** A migrated database. */
export interface OpenDatabase {
  readonly url: string
  close(): Promise<void>
}

/** The settings that select the database. */
interface DatabaseConfig {
  readonly dataDir: string
  /** Unset: the PostgreSQL in `dataDir` is started. */
  readonly databaseUrl?: string
  readonly databasePool: number
  readonly hubShards: number
}

/** The command of a data directory's owner if it is a server. */
const SERVE_COMMAND = 'serve'

/** Connections for commands beside the server, migrations and `psql`. */
const SPARE_CONNECTIONS = 30
const MIN_CONNECTIONS = 60

/** Time in which the database of a compose file or of a booting machine starts. */
export const STARTUP_LIMIT_MS = 60_000
/** Time for crash recovery of a starting server. */
const BUSY_LIMIT_MS = 300_000
const POLL_MS = 200
const RETRY_MS = 1_000
/**
 * Between two attempts to migrate locked tables, of all processes together. Statements queue behind an attempt for 2 s, so most of
 * the time they do not.
 */
const LOCKED_PAUSE_MS = 5_000
/** Between two lines of the log that tell of the waiting. */
const LINE_MS = 10_000
const LOCK_LINE =
  'a migration waits for a lock that another transaction holds, such as a replay, an export or a backup: it is tried again'

/**
 * Opens the database of the server: `DATABASE_URL`, or an embedded PostgreSQL of this process. Waits a minute for one that
 * does not answer or whose tables are locked, or until the signal aborts; then it throws the signal's reason.
 */
export async function openServerDatabase(
  config: DatabaseConfig,
  log: Log,
  { signal, onStart }: OpeningOptions = {},
): Promise<OpenDatabase> {
  const opened =
    config.databaseUrl === undefined
      ? await openEmbedded(config, SERVE_COMMAND, log, onStart)
      : { ...externalDatabase(config.databaseUrl), mayBePooled: true }
  return withMigrations(opened, { log, signal })
}

/** How the opening of a database is watched and ended. */
export interface OpeningOptions {
  readonly signal?: AbortSignal | undefined
  /** Called before an embedded PostgreSQL starts, with what stops it immediately. */
  readonly onStart?: EmbeddedOptions['onStart']
}

interface CommandOptions extends OpeningOptions {
  /** Migrates a schema of an earlier version, too. A migration may take hours, and a server of that version no longer starts. */
  readonly upgrades?: boolean
}

/**
 * Opens the database of a command: `DATABASE_URL`, the PostgreSQL of a server that runs on this `DATA_DIR`,
 * or one that is started for the duration of the command. An empty database gets its schema. When the signal aborts, it waits no
 * more, closes what it has started, and throws the signal's reason.
 */
export async function openCommandDatabase(
  config: DatabaseConfig,
  command: string,
  log: Log,
  { signal, onStart, upgrades = false }: CommandOptions = {},
): Promise<OpenDatabase> {
  const waiting = { log, signal, emptyOnly: !upgrades }
  if (config.databaseUrl !== undefined) {
    return withMigrations({ ...externalDatabase(config.databaseUrl), mayBePooled: true }, waiting)
  }
  const deadline = performance.now() + BUSY_LIMIT_MS
  for (let hasWaited = false; ; hasWaited = true) {
    signal?.throwIfAborted()
    const url = await urlOfServer(config.dataDir)
    if (url !== null)
      return withMigrations(externalDatabase(url), { ...waiting, isTransient: isInitializing })
    try {
      return await withMigrations(await openEmbedded(config, command, log, onStart), waiting)
    } catch (error) {
      if (!(error instanceof DataDirBusyError) || performance.now() > deadline) throw error
      // A starting server, or another command, which stops its PostgreSQL when it ends.
      if (!hasWaited) log.warn({ pid: error.owner.pid }, `${error.message}: waiting for it`)
      await pause(POLL_MS, signal)
    }
  }
}

/** A database that this process did not start. */
function externalDatabase(url: string): OpenDatabase {
  return { url, close: async () => {} }
}

/** A database of `DATABASE_URL`: a pooler may be in front of it. */
interface Candidate extends OpenDatabase {
  readonly mayBePooled?: boolean
}

async function openEmbedded(
  config: DatabaseConfig,
  command: string,
  log: Log,
  onStart: OpeningOptions['onStart'],
): Promise<OpenDatabase> {
  const needed = config.databasePool + SPARE_CONNECTIONS
  const settings = { max_connections: String(Math.max(MIN_CONNECTIONS, needed)) }
  const { dataDir } = config
  const embedded = await startEmbedded({
    dataDir,
    command,
    log,
    settings,
    onStart,
    // A command in another folder, or without the variables of the server, finds nothing of what the server has.
    onCreate() {
      if (command === SERVE_COMMAND) return
      const advice = 'set DATABASE_URL or DATA_DIR as for the server'
      log.warn({}, `creating a new database in ${resolve(dataDir)}: ${advice}`)
    },
  })
  return { url: embedded.socketUrl, close: embedded.stop }
}

/**
 * Finds the database of a server without starting or migrating anything: `DATABASE_URL`, or the PostgreSQL of a server that
 * runs on this `DATA_DIR`; null when none does.
 */
export async function findServerDatabase({
  databaseUrl,
  dataDir,
}: Pick<DatabaseConfig, 'databaseUrl' | 'dataDir'>): Promise<string | null> {
  return databaseUrl ?? (existsSync(dataDir) ? await urlOfServer(dataDir) : null)
}

/** Finds the process of a server that runs on this `DATA_DIR`, also while its PostgreSQL does not; null when none does. */
export function findServerProcess(dataDir: string): DataDirOwner | null {
  const owner = dataDirOwner(dataDir)
  return owner?.command === SERVE_COMMAND ? owner : null
}

async function urlOfServer(dataDir: string): Promise<string | null> {
  const directory = await openDataDir(dataDir)
  return findServerProcess(directory) === null ? null : findEmbedded(directory)
}

/** 3D000: on its first start, a server has PostgreSQL running a moment before its database exists. */
function isInitializing(error: unknown): boolean {
  return errorCode(error) === '3D000'
}

interface Waiting {
  readonly log: Log
  readonly signal?: AbortSignal | undefined
  /** Refuses a schema of an earlier version. */
  readonly emptyOnly?: boolean
  /** Whether a failure passes, beside those of a database that is away. */
  readonly isTransient?: (error: unknown) => boolean
}

async function withMigrations(
  opened: Candidate,
  { log, signal, emptyOnly, isTransient = () => false }: Waiting,
): Promise<OpenDatabase> {
  const deadline = performance.now() + STARTUP_LIMIT_MS
  let nextLine = 0
  function logWait(error: unknown, line: string): void {
    if (performance.now() < nextLine) return
    log.warn({ reason: error instanceof Error ? error.message : error }, line)
    nextLine = performance.now() + LINE_MS
  }
  async function whenLocked(error: unknown): Promise<void> {
    const leftMs = deadline - performance.now()
    if (leftMs <= 0) return
    logWait(error, LOCK_LINE)
    await pause(Math.min(LOCKED_PAUSE_MS, leftMs), signal)
    signal?.throwIfAborted()
  }
  for (;;) {
    try {
      signal?.throwIfAborted()
      if (opened.mayBePooled) await refuseTransactionPooling(opened.url)
      await migrate(opened.url, log, { emptyOnly, signal, whenLocked })
      return opened
    } catch (error) {
      const isLocked = isLockTimeout(error)
      const isAway = isUnavailable(error) && !isConnectionRefused(error)
      const passes = isAway || isLocked || isTransient(error)
      if (signal?.aborted || !passes || performance.now() >= deadline) {
        await opened.close()
        // An attempt that was under way fails with what it met.
        throw signal?.aborted ? signal.reason : error
      }
      if (isLocked) continue
      logWait(error, 'waiting for the database')
      await pause(RETRY_MS, signal)
    }
  }
}
