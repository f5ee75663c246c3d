import type { Database, Transaction } from '../../platform/db/connection.js'
import { inPipeline } from '../../platform/db/pipeline.js'
import { UrlActivity } from '../project/cast-counts.js'
import { projectInto } from '../project/project.js'
import { attachReplies, lockThreadsExclusively } from '../project/threads.js'

const POLL_MS = 60 * 1000
/** A thread that is still arriving waits on. */
const MIN_WAIT = '30 seconds'
/** Merges of casts wait while a thread moves. One with more than some ten thousand casts below stays until its first cast arrives. */
const MAX_STATEMENT_TIME = '5s'

/**
 * Runs in the transaction that moves a thread. Caches may have casts below with the thread `hash` that they had (hex without
 * 0x), which no event of the log has named since.
 */
type OnMoved = (transaction: Transaction, hash: string) => Promise<void>

/** Creates the scheduled job that moves long threads to the missing cast at their top. */
export function createWaitingThreadsJob(db: Database, onMoved: OnMoved) {
  return { name: 'waiting threads', everyMs: POLL_MS, run: () => moveWaitingThreads(db, MIN_WAIT, onMoved) }
}

/**
 * Moves the threads in `waiting_threads`, each in a transaction of its own. The latest first: of a thread that arrived
 * from its end it is the topmost, and moves all that wait below it. One that fails delays no other.
 *
 * @param minWait As a PostgreSQL interval.
 * @throws the first failure, after the last thread.
 */
export async function moveWaitingThreads(db: Database, minWait: string, onMoved: OnMoved): Promise<void> {
  const waiting = await db<{ hash: Buffer }[]>`
    select hash from social.waiting_threads
    where waiting_since <= now() - ${minWait}::text::interval
    order by waiting_since desc, hash
  `
  const failures: unknown[] = []
  for (const { hash } of waiting) {
    await moveThread(db, hash, onMoved).catch((error: unknown) => failures.push(error))
  }
  if (failures.length > 0) throw failures[0]
}

async function moveThread(db: Database, hash: Buffer, onMoved: OnMoved): Promise<void> {
  await db.begin(async (transaction) => {
    await projectInto(transaction, 'social')
    await lockThreadsExclusively(transaction)
    await transaction.unsafe(`set local statement_timeout = '${MAX_STATEMENT_TIME}'`)
    const removed = await transaction`delete from waiting_threads where hash = ${db.types.bytea(hash)}`
    if (removed.count === 0) return
    const activity = new UrlActivity()
    await attachReplies(transaction, [{ hash }], activity, Number.MAX_SAFE_INTEGER)
    await inPipeline([...activity.statements(transaction), onMoved(transaction, hash.toString('hex'))])
  })
}
