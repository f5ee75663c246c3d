import type { Database, Session } from '../db/connection.js'

/**
 * Takes the lock that tells others that a process lives, on a connection that is held until it is released. PostgreSQL
 * frees it at once when the process is killed.
 *
 * @param worker Names the process: a UUID.
 */
export async function lockWorker(db: Database, worker: string): Promise<Session> {
  const session = await db.reserve()
  await session`select pg_advisory_lock(hashtextextended(${worker}, 0))`
  return session
}
