import type { Database } from '../../../platform/db/connection.js'

/** Where an importer goes on; null when it has not begun. */
export async function loadImportCursor(db: Database, name: string): Promise<string | null> {
  const [row] = await db<{ cursor: string }[]>`select cursor from sync.imports where name = ${name}`
  return row?.cursor ?? null
}

/** Remembers where an importer goes on, once what is before it is written. */
export async function saveImportCursor(db: Database, name: string, cursor: string): Promise<void> {
  await db`
    insert into sync.imports (name, cursor)
    values (${name}, ${cursor})
    on conflict (name) do update set cursor = excluded.cursor, imported_at = now()
  `
}
