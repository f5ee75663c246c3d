import type { Database, Session, Transaction } from '../../platform/db/connection.js'

/** The lock of the only replay that runs. */
export interface ReplayLock {
  /**
   * Runs a transaction on the schemas of the replay, which no other replay touches before it has ended: the connection with the
   * lock may be lost alone, and another replay begin. @throws if it was lost.
   */
  begin<Result>(work: (transaction: Transaction) => Promise<Result>): Promise<Result>
}

/** Runs a replay under its lock. @throws when another one runs. */
export async function withReplayLock<Result>(
  db: Database,
  work: (lock: ReplayLock) => Promise<Result>,
): Promise<Result> {
  const session = await db.reserve()
  try {
    const [row] = await session<
      { locked: boolean }[]
    >`select pg_try_advisory_lock(hashtext('plaza replay')) as locked`
    if (!row?.locked) throw anotherRuns()
    // It says nothing while an index is built.
    await session`set idle_session_timeout = 0`
    await refuseBesideLostReplay(db)
    return await work(lockOf(db, session))
  } finally {
    // A lost connection has released the lock.
    await session`select pg_advisory_unlock_all()`.catch(() => {})
    await session`reset idle_session_timeout`.catch(() => {})
    session.release()
  }
}

function lockOf(db: Database, session: Session): ReplayLock {
  return {
    async begin<Result>(work: (transaction: Transaction) => Promise<Result>) {
      const result = await db.begin(async (transaction) => {
        await transaction`select pg_advisory_xact_lock(hashtext('plaza replay schemas'))`
        // Asked under the lock of the schemas: a replay that begins from now on finds this one at work.
        await session`select 1`.catch((cause: unknown) => {
          throw new Error('the connection with the lock of the replay was lost: start it again', { cause })
        })
        return { value: await work(transaction) }
      })
      return (result as { value: Result }).value
    },
  }
}

/** Refuses to begin within the last transaction of a replay that has lost its lock. */
async function refuseBesideLostReplay(db: Database): Promise<void> {
  const [row] = await db<{ isFree: boolean }[]>`
    select pg_try_advisory_xact_lock(hashtext('plaza replay schemas')) as "isFree"
  `
  if (!row?.isFree) throw anotherRuns()
}

function anotherRuns(): Error {
  return new Error('another replay is running')
}
