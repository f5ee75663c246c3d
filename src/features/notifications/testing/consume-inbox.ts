import { consumeBatch, ensureCursors } from '../../../hub/log/consumer-batch.js'
import type { Database } from '../../../platform/db/connection.js'
import { inboxConsumer } from '../refresh.js'

const never = new AbortController().signal

/** Consumes the whole log of all shards in batches of this size. */
export async function consumeInbox(
  db: Database,
  { shards = 1, limit = 1000 }: { readonly shards?: number; readonly limit?: number } = {},
): Promise<void> {
  await ensureCursors(db, inboxConsumer, shards)
  for (let shard = 1; shard <= shards; shard += 1) {
    while ((await consumeBatch(db, inboxConsumer, { shard, limit, signal: never })).state !== 'caughtUp');
  }
}
