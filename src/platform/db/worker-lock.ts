import type { Fragment } from '#postgres'
import type { Database, Queryable } from './connection.js'

/**
 * Takes the lock of a worker (a UUID), or takes it anew. PostgreSQL frees it when the connection ends.
 * @param lockDb A pool of one connection that does nothing else: the lock is that connection's.
 * @returns the process of PostgreSQL that has the lock: another one than before if the connection was lost.
 */
export async function takeWorkerLock(lockDb: Database, worker: string): Promise<number> {
  const [row] = await lockDb<{ holder: number }[]>`
    select pg_backend_pid() as holder, pg_try_advisory_lock(hashtextextended(${worker}, 0))`
  return row!.holder
}

/** Whether nobody holds the lock of the worker that a column names. Until the transaction ends nobody else finds it dead. */
export function isWorkerDead(db: Queryable, column: Fragment): Fragment {
  return db`pg_try_advisory_xact_lock(hashtextextended(${column}::text, 0))`
}
