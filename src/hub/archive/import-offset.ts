import type { Database } from '../../platform/db/connection.js'

/** How far an archive has been merged into this database, in bytes; 0 when it has not. */
export async function loadImportOffset(db: Database, archiveId: string): Promise<number> {
  const [row] = await db<{ offset: number }[]>`
    select (value #>> '{}')::bigint as offset from hub.settings where name = ${settingName(archiveId)}
  `
  return row?.offset ?? 0
}

/** Remembers that an archive is merged up to a byte. */
export async function saveImportOffset(db: Database, archiveId: string, offset: number): Promise<void> {
  await db`
    insert into hub.settings (name, value)
    values (${settingName(archiveId)}, ${offset}::bigint::text::jsonb)
    on conflict (name) do update set value = excluded.value
  `
}

/** Forgets an archive: it is merged to its end, or is to be merged anew. */
export async function deleteImportOffset(db: Database, archiveId: string): Promise<void> {
  await db`delete from hub.settings where name = ${settingName(archiveId)}`
}

function settingName(archiveId: string): string {
  return `import/${archiveId}`
}
