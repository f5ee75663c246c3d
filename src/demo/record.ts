import type { Database } from '../platform/db/connection.js'
import type { DemoOptions } from './options.js'

/** What a database remembers of its demo. */
export interface DemoRecord {
  readonly demo: DemoOptions
  /** How many of its items, from the first one on, are there. */
  readonly items: number
  readonly isComplete: boolean
}

/** The demo of a database; null when it has none. */
export async function loadRecord(db: Database): Promise<DemoRecord | null> {
  const [row] = await db<{ value: DemoRecord }[]>`select value from hub.settings where name = 'demo'`
  return row?.value ?? null
}

/** Remembers the demo and how far it is. */
export async function saveRecord(db: Database, record: DemoRecord): Promise<void> {
  await db`
    insert into hub.settings (name, value)
    values ('demo', ${JSON.stringify(record)}::text::jsonb)
    on conflict (name) do update set value = excluded.value
  `
}
