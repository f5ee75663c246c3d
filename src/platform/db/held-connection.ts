import { createQueue } from '../process/queue.js'
import type { Database, Transaction } from './connection.js'

/** A queue for each pool of this process. */
const queues = new WeakMap<Database, ReturnType<typeof createQueue>>()

/**
 * Runs `work` in a transaction that stays open while `work` waits for what needs another connection of the pool, such
 * as a merge. One at a time of a pool, whatever it is for: two of them hold all connections of a small pool, and each
 * would wait for the other's. `work` must not call it again.
 */
export async function withHeldConnection<T>(
  db: Database,
  work: (transaction: Transaction) => Promise<T>,
): Promise<T> {
  const runInTurn = queues.get(db) ?? createQueue()
  queues.set(db, runInTurn)
  // Wrapped: the driver would await an array of results as if they were queries.
  const { value } = await runInTurn(() =>
    db.begin(async (transaction) => ({ value: await work(transaction) })),
  )
  return value
}
