import type { Database } from '../../../platform/db/connection.js'
import { readModelTables } from './read-model.js'

/** What merges write, but for the rows of shards. */
const mergedTables = [
  'messages',
  'cast_mentions',
  'set_counts',
  'events',
  'pruned_messages',
  'onchain_events',
  'fids',
  'signers',
  'storage_rents',
  'username_proofs',
] as const

/**
 * Empties the hub, the read model, and other tables. A few rows are deleted in a fraction of the time in which a table is
 * truncated, which makes new files.
 */
export async function emptyHub(db: Database, others: readonly string[] = []): Promise<void> {
  const emptied = [
    ...mergedTables.map((table) => `hub.${table}`),
    ...readModelTables.map((table) => `social.${table}`),
    ...others,
  ]
  await db.unsafe(emptied.map((table) => `delete from ${table};`).join('\n'))
}
