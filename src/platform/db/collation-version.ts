import type { Log } from '../log/log.js'
import type { Database } from './connection.js'

/**
 * Warns if this database orders text by another version of its locale than the one that its indexes were built with, as after an
 * upgrade of the operating system: they may miss rows then, and take duplicates.
 */
export async function warnIfCollationChanged(db: Database, log: Log): Promise<void> {
  const [changed] = await db<{ name: string; recorded: string; actual: string }[]>`
    select datname as name, datcollversion as recorded, actual
    from pg_database, pg_database_collation_actual_version(oid) as actual
    where datname = current_database() and datcollversion <> actual`
  if (changed === undefined) return
  const { name, recorded, actual } = changed
  log.warn(
    { recorded, actual },
    'the order of text has changed since the indexes of this database were built, and they may miss rows: stop the server and run ' +
      `\`reindex database "${name}"\`, then \`alter database "${name}" refresh collation version\``,
  )
}
