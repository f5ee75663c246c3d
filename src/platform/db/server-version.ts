import type { Database } from './connection.js'

/** `server_version_num` of PostgreSQL 15, the oldest version that the tests run on. */
const MIN_VERSION = 150_000
const PER_MAJOR = 10_000

/** Refuses a PostgreSQL that is too old, before anything is written to it. */
export async function refuseOldServer(db: Pick<Database, 'unsafe'>): Promise<void> {
  const [row] = await db.unsafe<{ name: string; number: number }[]>(`
    select current_setting('server_version') as name, current_setting('server_version_num')::int as number`)
  if (row === undefined || row.number >= MIN_VERSION) return
  throw new Error(
    `DATABASE_URL: this is PostgreSQL ${row.name}, and Plaza needs ${MIN_VERSION / PER_MAJOR} or later: ` +
      'upgrade it (pg_upgrade), or set DATABASE_URL to another one',
  )
}
