import { createTestDatabase, type TestDatabase } from '../../../../test/database.js'
import { createTestHub } from '../../../../test/hub.js'
import { emptyHub } from '../../../graph/project/testing/empty-hub.js'
import type { Hub } from '../../../hub/hub.js'
import { type HistoryStep, users } from './inbox-history.js'

/** A hub with the users of `inbox-history.ts`; only the test consumes its events. */
export interface InboxNetwork extends TestDatabase {
  readonly hub: Hub
  readonly shards: number
  /** Deletes everything but the users. */
  reset(): Promise<void>
  submit(step: HistoryStep): Promise<void>
}

/** Creates the network on a new database for the calling test file. */
export async function createInboxNetwork(): Promise<InboxNetwork> {
  const database = await createTestDatabase()
  const { db } = database
  const shards = 2
  const hub = await createTestHub(db, { shards })
  return {
    ...database,
    hub,
    shards,
    async reset() {
      await emptyHub(db, ['hub.consumers', 'inbox.notifications', 'inbox.seen', 'moderation.mutes'])
      await hub.submitOnChainEvents(users.flatMap((user) => user.onChain()))
    },
    async submit(step) {
      if ('message' in step) await hub.submit([step.message])
      else await hub.submitOnChainEvents([step.chainEvent])
    },
  }
}
