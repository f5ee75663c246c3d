import { consumeBatch, ensureCursors } from '../../../hub/log/consumer-batch.js'
import { shardNumbers } from '../../../hub/shard-count.js'
import type { Database } from '../../../platform/db/connection.js'
import { inboxConsumer } from '../refresh.js'

const never = new AbortController().signal

/** Consumes the whole log of all shards in batches of this size. */
export async function consumeInbox(
  db: Database,
  { shards = 1, limit = 1000 }: { readonly shards?: number; readonly limit?: number } = {},
): Promise<void> {
  const all = shardNumbers(shards)
  await ensureCursors(db, inboxConsumer, all)
  for (const shard of all) {
    while ((await consumeBatch(db, inboxConsumer, { shard, limit, signal: never })).state !== 'caughtUp');
  }
}
