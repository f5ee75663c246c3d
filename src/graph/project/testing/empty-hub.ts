import type { Database } from '../../../platform/db/connection.js'
import { readModelTables } from './read-model.js'

/** The tables that merges write, except the shards. */
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
 * Empties the hub, the read model and other tables. Deleting a few rows takes a fraction of the time of
 * truncating a table, which creates new files.
 */
export async function emptyHub(db: Database, others: readonly string[] = []): Promise<void> {
  const emptied = [
    ...mergedTables.map((table) => `hub.${table}`),
    ...readModelTables.map((table) => `social.${table}`),
    ...others,
  ]
  await db.unsafe(emptied.map((table) => `delete from ${table};`).join('\n'))
}
