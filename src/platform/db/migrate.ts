import { readdir } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { runner } from 'node-pg-migrate'
import pg from 'pg'
import type { Log } from '../log/log.js'
import type { Database } from './connection.js'

/** Beside this file in src (tests) and in dist, where the build copies it. */
const MIGRATIONS_DIR = fileURLToPath(new URL('./migrations', import.meta.url))
const MIGRATIONS_TABLE = 'schema_migrations'

/** Key of the advisory lock: the bytes of "plaza". */
const MIGRATION_LOCK = 0x706c617a61

/**
 * Interval in which processes poll the lock. Waiting in `pg_advisory_lock` would hold a snapshot, and a
 * concurrent index build waits for every snapshot: the two would block each other.
 */
const LOCK_POLL_MS = 50

/** The differences between the migrations of the database and of this build. */
export interface MigrationState {
  /** Only in this build. */
  readonly pending: readonly string[]
  /** Only in the database, which a newer build has migrated. */
  readonly unknown: readonly string[]
}

/**
 * Migrates the schema to this build: runs every new file of `migrations/` in one transaction. Many processes
 * may call it at the same time: one migrates, the others wait. Returns the names of the applied migrations.
 * Throws if the database is newer than this build.
 */
export async function migrate(url: string, log: Log): Promise<string[]> {
  const client = new pg.Client({ connectionString: url, application_name: 'plaza migrate' })
  // Without a listener a lost connection would end the process; the pending query rejects anyway.
  client.on('error', (error) => log.warn({ err: error }, 'migration connection lost'))
  await client.connect()
  try {
    await waitForLock(client, log)
    await refuseNewerSchema(client)
    const applied = await runner({
      dbClient: client,
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
        error: (text: string) => log.error({}, text),
      },
    })
    const names = applied.map(({ name }) => name)
    if (names.length > 0) log.info({ migrations: names }, 'schema migrated')
    return names
  } finally {
    // Ends the session and releases its lock.
    await client.end()
  }
}

/** Returns what `migrate` would do, for the readiness check. */
export async function migrationState(db: Database): Promise<MigrationState> {
  return await compareMigrations((sql) => db.unsafe<{ name: string | null }[]>(sql))
}

async function compareMigrations(
  query: (sql: string) => Promise<readonly { readonly name: string | null }[]>,
): Promise<MigrationState> {
  const table = `public.${MIGRATIONS_TABLE}`
  const [found] = await query(`select to_regclass('${table}')::text as name`)
  const rows = found?.name ? await query(`select name from ${table} order by id`) : []
  const applied = rows.map(({ name }) => name!)
  const knownNames = await knownMigrations()
  return {
    pending: knownNames.filter((name) => !applied.includes(name)),
    unknown: applied.filter((name) => !knownNames.includes(name)),
  }
}

async function knownMigrations(): Promise<string[]> {
  const files = await readdir(MIGRATIONS_DIR)
  return files
    .filter((file) => file.endsWith('.sql'))
    .map((file) => file.slice(0, -'.sql'.length))
    .sort()
}

async function waitForLock(client: pg.Client, log: Log): Promise<void> {
  for (let attempt = 0; ; attempt += 1) {
    const { rows } = await client.query<{ taken: boolean }>('select pg_try_advisory_lock($1) as taken', [
      MIGRATION_LOCK,
    ])
    if (rows[0]?.taken) return
    if (attempt === 0) log.info({}, 'waiting for another process that migrates the database')
    await sleep(LOCK_POLL_MS)
  }
}

async function refuseNewerSchema(client: pg.Client): Promise<void> {
  const { unknown } = await compareMigrations(
    async (sql) => (await client.query<{ name: string | null }>(sql)).rows,
  )
  if (unknown.length === 0) return
  throw new Error(
    `the database was migrated by a newer version (${unknown.join(', ')}): start that version, or restore a backup`,
  )
}
