import { readdir } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import type { RunnerOption } from 'node-pg-migrate'
import type { Log } from '../log/log.js'
import { connect, type Database, type Session } from './connection.js'
import { isLockTimeout } from './connection-errors.js'
import { refuseOldServer } from './server-version.js'
import { findTextProblem } from './text-encoding.js'

/** Beside this file in src (tests) and in dist, where the build copies it. */
const MIGRATIONS_DIR = fileURLToPath(new URL('./migrations', import.meta.url))
const MIGRATIONS_TABLE = 'schema_migrations'

/** Key of the advisory lock: the bytes of "plaza". */
export const MIGRATION_LOCK = 0x706c617a61

/**
 * Interval in which processes poll the lock. Waiting in `pg_advisory_lock` would hold a snapshot, and a
 * concurrent index build waits for every snapshot: the two would block each other.
 */
const LOCK_POLL_MS = 50

/**
 * Time for which a migration waits for a table. Every statement on it queues behind one that waits, and processes of the
 * version before go on serving. Who migrates again pauses for longer than that, with the advisory lock (`whenLocked`).
 */
const MIGRATION_LOCK_TIMEOUT = '2s'

/** The differences between the migrations of the database and of this build. */
export interface MigrationState {
  /** Only in this build. */
  readonly pending: readonly string[]
  /** Only in the database, which a newer build has migrated. */
  readonly unknown: readonly string[]
}

export interface MigrateOptions {
  /** Creates the schema of an empty database, and refuses to change that of an earlier version. */
  readonly emptyOnly?: boolean | undefined
  /** Ends the wait for another process that migrates, and a migration: its transaction is rolled back. */
  readonly signal?: AbortSignal | undefined
  /** Awaited after a lock timeout: no other process tries to migrate meanwhile. */
  readonly whenLocked?: (error: unknown) => Promise<void>
}

/**
 * Migrates the schema to this build: runs every new file of `migrations/` in one transaction. Many processes
 * may call it at the same time: one migrates, the others wait. Returns the names of the applied migrations.
 * Throws if the database is newer than this build, PostgreSQL too old for it, or an empty database unable to search text
 * (`findTextProblem`), and a lock timeout (`isLockTimeout`) if another
 * transaction has a table for long: nothing is changed then.
 */
export async function migrate(
  url: string,
  log: Log,
  { emptyOnly = false, signal, whenLocked }: MigrateOptions = {},
): Promise<string[]> {
  const db = connect(url, {
    poolSize: 1,
    applicationName: 'plaza migrate',
    statementTimeoutMs: 0,
    keepsSessions: true,
  })
  try {
    // When its connection is lost, a reserved session fails and is not replaced by one without the lock.
    const session = await db.reserve()
    // Who needs the schema as it is does not wait for a migration to a newer one, which may take hours.
    const isReady = emptyOnly && (await readState(session)).pending.length === 0
    if (!isReady) await waitForLock(session, log, signal)
    const { pending, isEmpty } = await readState(session)
    const textProblem = await findTextProblem(session)
    if (textProblem !== null && isEmpty) throw new Error(`DATABASE_URL: ${textProblem}`)
    if (textProblem !== null) log.warn({}, `${textProblem}, and move to it (docs/operate.md)`)
    if (pending.length === 0) return []
    if (emptyOnly && !isEmpty) throw new Error(`${pendingText(pending)}: ${MIGRATE_ADVICE}`)
    await refuseOldServer(session)
    const applied = await runPending(session, log, signal)
    const names = applied.map(({ name }) => name)
    if (names.length > 0) log.info({ migrations: names }, 'schema migrated')
    return names
  } catch (error) {
    if (isLockTimeout(error)) await whenLocked?.(error)
    throw error
  } finally {
    // Ends the session and releases its lock.
    await db.end({ timeout: 0 })
  }
}

const MIGRATE_ADVICE = 'run `plaza migrate`, or start the server in this version'

/** Says which migrations the database lacks. */
export function pendingText(pending: readonly string[]): string {
  if (pending.length === 1) return `the migration ${pending[0]} is not applied`
  return `${pending.length} migrations are not applied, the first is ${pending[0]}`
}

async function runPending(session: Session, log: Log, signal: AbortSignal | undefined) {
  await session.unsafe(`set lock_timeout = '${MIGRATION_LOCK_TIMEOUT}'`)
  // Loaded where there is something to do: it takes a fifth of the start of a command.
  const { runner } = await import('node-pg-migrate')
  const failures: string[] = []
  const run = runner({
    dbClient: runnerClient(session, signal),
    dir: MIGRATIONS_DIR,
    direction: 'up',
    migrationsTable: MIGRATIONS_TABLE,
    migrationsSchema: 'public',
    noLock: true,
    singleTransaction: true,
    logger: {
      debug: (text: string) => log.debug({}, text),
      info: (text: string) => log.debug({}, text),
      warn: (text: string) => log.warn({}, text),
      error: (text: string) => failures.push(text),
    },
  })
  return await run.catch((error: unknown) => {
    signal?.throwIfAborted()
    // Locks are waited for again, and the text is the whole migration.
    if (!isLockTimeout(error)) for (const text of failures) log.error({}, text)
    throw error
  })
}

/** Returns what `migrate` would do, for the readiness check. */
export async function migrationState(db: Database): Promise<MigrationState> {
  const { pending, unknown } = await compareMigrations((sql) => db.unsafe<{ name: string | null }[]>(sql))
  return { pending, unknown }
}

/** A migration, and whether the database has it. */
export interface Migration {
  readonly name: string
  /** `newer`: only in the database. */
  readonly state: 'applied' | 'pending' | 'newer'
  readonly appliedAt: Date | null
}

/** Lists the migrations of the database and of this build, oldest first. */
export async function listMigrations(db: Database): Promise<Migration[]> {
  const applied = await db<{ name: string; at: Date }[]>`
    select name, run_on::timestamptz as at from ${db(`public.${MIGRATIONS_TABLE}`)}`
  const known = new Set(await knownMigrations())
  const done = applied.map(({ name, at }) => ({
    name,
    state: known.has(name) ? ('applied' as const) : ('newer' as const),
    appliedAt: at,
  }))
  const names = new Set(applied.map(({ name }) => name))
  const pending = [...known].filter((name) => !names.has(name))
  return [...done, ...pending.map((name) => ({ name, state: 'pending' as const, appliedAt: null }))].sort(
    (a, b) => (a.name < b.name ? -1 : 1),
  )
}

type RunnerClient = Extract<RunnerOption, { dbClient: unknown }>['dbClient']

/** The one method of a `pg` client that the runner uses. The signal cancels the statement that runs. */
function runnerClient(session: Session, signal: AbortSignal | undefined): RunnerClient {
  async function query(statement: string | { text: string; values?: unknown[] }, values: unknown[] = []) {
    // A signal between two statements, or as one ends, cancels none. The session's end rolls back.
    signal?.throwIfAborted()
    const { text, values: own = values } = typeof statement === 'string' ? { text: statement } : statement
    const running = session.unsafe(text, own as never[])
    const cancel = () => running.cancel()
    signal?.addEventListener('abort', cancel)
    try {
      return { rows: [...(await running)] }
    } finally {
      signal?.removeEventListener('abort', cancel)
    }
  }
  return { query } as unknown as RunnerClient
}

interface ComparedMigrations extends MigrationState {
  /** The database has no migration. */
  readonly isEmpty: boolean
}

async function compareMigrations(
  query: (sql: string) => Promise<readonly { readonly name: string | null }[]>,
): Promise<ComparedMigrations> {
  const table = `public.${MIGRATIONS_TABLE}`
  const [found] = await query(`select to_regclass('${table}')::text as name`)
  const rows = found?.name ? await query(`select name from ${table} order by id`) : []
  const applied = rows.map(({ name }) => name!)
  const knownNames = await knownMigrations()
  return {
    pending: knownNames.filter((name) => !applied.includes(name)),
    unknown: applied.filter((name) => !knownNames.includes(name)),
    isEmpty: applied.length === 0,
  }
}

async function knownMigrations(): Promise<string[]> {
  const files = await readdir(MIGRATIONS_DIR)
  return files
    .filter((file) => file.endsWith('.sql'))
    .map((file) => file.slice(0, -'.sql'.length))
    .sort()
}

async function waitForLock(session: Session, log: Log, signal: AbortSignal | undefined): Promise<void> {
  for (let attempt = 0; ; attempt += 1) {
    signal?.throwIfAborted()
    const [row] = await session<{ taken: boolean }[]>`
      select pg_try_advisory_lock(${MIGRATION_LOCK}::bigint) as taken`
    if (row?.taken) return
    if (attempt === 0) log.info({}, 'waiting for another process that migrates the database')
    await sleep(LOCK_POLL_MS)
  }
}

/** Throws if the database is newer than this build. */
async function readState(session: Session): Promise<ComparedMigrations> {
  const state = await compareMigrations((sql) => session.unsafe<{ name: string | null }[]>(sql))
  if (state.unknown.length === 0) return state
  const names = state.unknown.join(', ')
  throw new Error(
    `the database was migrated by a newer version (${names}): start that version, or restore a backup`,
  )
}
