import type { Database } from '../../../platform/db/connection.js'

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
