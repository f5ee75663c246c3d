import type { Fragment } from '#postgres'
import type { Database } from '../../../platform/db/connection.js'
import { writesTo } from '../../../platform/db/fingerprint.js'

/** Loads the cursor of an importer; null before its first run. */
export async function loadImportCursor(db: Database, name: string): Promise<string | null> {
  const [row] = await db<{ cursor: string }[]>`select cursor from sync.imports where name = ${name}`
  return row?.cursor ?? null
}

/** Saves the cursor of an importer after everything before it is written. */
export async function saveImportCursor(db: Database, name: string, cursor: string): Promise<void> {
  await db`
    insert into sync.imports (name, cursor)
    values (${name}, ${cursor})
    on conflict (name) do update set cursor = excluded.cursor, imported_at = now()
  `
}

/** Begins what an importer does once in a while, in hours; false if it began within that time. */
export async function beginPeriod(db: Database, name: string, hours: number): Promise<boolean> {
  const begun = await db`
    insert into sync.imports (name, cursor)
    values (${name}, '')
    on conflict (name) do update set imported_at = now()
    where imports.imported_at < now() - ${hours} * interval '1 hour'
    returning name
  `
  return begun.length > 0
}

/** Expressions that differ when an importer has come further. */
export function importsFingerprint(db: Database): Fragment {
  return db`
    (select string_agg(name || cursor || imported_at, ',' order by name) from sync.imports),
    ${writesTo(db, ['sync.imports'])}`
}
