import { createTestDatabase, type TestDatabase } from '../../../test/database.js'
import { createTestHub } from '../../../test/hub.js'
import type { Hub } from '../../hub/hub.js'
import { readModelTables } from '../../social/testing/read-model.js'
import { type HistoryStep, users } from './inbox-history.js'

/** A hub with the users of `inbox-history.ts`, whose events nobody consumes but the test. */
export interface InboxNetwork extends TestDatabase {
  readonly hub: Hub
  readonly shards: number
  /** Empties everything but the users. */
  reset(): Promise<void>
  submit(step: HistoryStep): Promise<void>
}

const hubTables = [
  'messages',
  'set_counts',
  'events',
  'onchain_events',
  'fids',
  'signers',
  'storage_rents',
  'consumers',
]

/** Makes the network on a database of its own, for the file that calls it. */
export async function createInboxNetwork(): Promise<InboxNetwork> {
  const database = await createTestDatabase()
  const { db } = database
  const shards = 2
  const hub = await createTestHub(db, { shards })
  const emptied = [
    ...hubTables.map((table) => `hub.${table}`),
    ...readModelTables.map((table) => `social.${table}`),
    'inbox.notifications',
    'inbox.seen',
    'relations.mutes',
  ]
  return {
    ...database,
    hub,
    shards,
    async reset() {
      // A few rows are deleted in a fraction of the time in which a table is truncated, which makes new files.
      await db.unsafe(emptied.map((table) => `delete from ${table};`).join('\n'))
      await hub.submitOnChainEvents(users.flatMap((user) => user.onChain()))
    },
    async submit(step) {
      if ('message' in step) await hub.submit([step.message])
      else await hub.submitOnChainEvents([step.chainEvent])
    },
  }
}
