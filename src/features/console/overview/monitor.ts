import type { Database } from '../../../platform/db/connection.js'
import { ErrorJournal } from '../../../platform/log/error-journal.js'
import type { Role } from '../../../platform/process/roles.js'
import { PromiseCache } from '../../../platform/promise-cache.js'
import { ActivityHistory } from './activity.js'
import { type DatabaseSizes, readDatabaseSizes } from './sizes.js'
import { type SyncProgress, SyncWatch } from './sync-progress.js'

/** PostgreSQL looks at every file for the sizes, and counts the users of a backfill. */
const SIZES_MS = 60_000
const SYNC_MS = 20_000

/** State of the server that a process keeps between two reads of its overview. */
export interface ServerMonitor {
  /** Id in the registry of processes; null for an unregistered process. */
  readonly processId: string | null
  readonly errors: ErrorJournal
  /** Roles without work by the configuration. */
  readonly idleRoles: ReadonlySet<Role>
  readonly activity: ActivityHistory
  /** At most a minute old. */
  readonly readSizes: () => Promise<DatabaseSizes>
  readonly readSync: () => Promise<SyncProgress | null>
}

export interface MonitorOptions {
  readonly db: Database
  /** Unix milliseconds. */
  readonly clock: () => number
  readonly processId?: string | null
  readonly errors?: ErrorJournal
  readonly idleRoles?: ReadonlySet<Role>
  /** The configured upstreams. */
  readonly upstreams?: readonly string[]
}

/** Creates what a process knows of the server. */
export function createServerMonitor({
  db,
  clock,
  processId = null,
  errors,
  idleRoles = new Set(),
  upstreams,
}: MonitorOptions): ServerMonitor {
  const elapsedMs = () => performance.now()
  const sizes = new PromiseCache<DatabaseSizes>({ max: 1, ttlMs: SIZES_MS, clock: elapsedMs })
  const sync = new PromiseCache<SyncProgress | null>({ max: 1, ttlMs: SYNC_MS, clock: elapsedMs })
  const syncWatch = new SyncWatch(db, clock, upstreams)
  return {
    processId,
    errors: errors ?? new ErrorJournal(clock),
    idleRoles,
    activity: new ActivityHistory(),
    readSizes: () => sizes.read('', () => readDatabaseSizes(db)),
    readSync: () => sync.read('', () => syncWatch.read()),
  }
}
