import type { Database, Transaction } from '../../platform/db/connection.js'
import { isLockTimeout, outageOf } from '../../platform/db/connection-errors.js'
import { inPipeline } from '../../platform/db/pipeline.js'
import { HOUR_MS } from '../../platform/durations.js'
import { UrlActivity } from '../project/cast-counts.js'
import { projectInto } from '../project/project.js'
import { lockThreadsExclusively } from '../project/thread-lock.js'
import { type OnThreadsMoved, settleReplies } from '../project/threads.js'

const POLL_MS = 60 * 1000
/** A thread that is still arriving waits on. */
const MIN_WAIT = '30 seconds'
/** Merges of casts wait while a thread moves. The first time is enough for some ten thousand casts below. */
const STATEMENT_TIMES = { first: '5s', later: '60s' } as const
/** Wait before a thread that took too long is tried again, with more time: merges would wait for it every minute. */
const POSTPONED_MS = HOUR_MS

/** When threads that took too long are tried again, in milliseconds of this process, by their hash. */
type PostponedThreads = Map<string, number>

/** Functions that run in the transaction that moves a thread. */
export interface ThreadHooks {
  /** Takes what `onCastsMoved` needs locked: before the threads, for which merges wait. */
  readonly beforeMove?: (db: Transaction) => Promise<void>
  readonly onThreadsMoved: OnThreadsMoved
  /** Gets the hash of the cast below which all casts have moved: no event of the log says so. */
  readonly onCastsMoved?: (db: Transaction, hash: Buffer) => Promise<void>
}

/** Creates the scheduled job that moves long threads to the missing cast at their top. */
export function createWaitingThreadsJob(db: Database, hooks: ThreadHooks) {
  const postponed: PostponedThreads = new Map()
  const run = () => moveWaitingThreads(db, MIN_WAIT, hooks, postponed)
  return { name: 'waiting threads', everyMs: POLL_MS, run }
}

/**
 * Moves the threads in `waiting_threads`, each in a transaction of its own. The latest first: of a thread that arrived
 * from its end it is the topmost, and moves all that wait below it. One that fails delays no other, but for a lock.
 *
 * @param minWait As a PostgreSQL interval.
 * @param postponed Kept between calls.
 * @throws the first failure, after the last thread.
 */
export async function moveWaitingThreads(
  db: Database,
  minWait: string,
  hooks: ThreadHooks,
  postponed: PostponedThreads = new Map(),
): Promise<void> {
  const waiting = await db<{ hash: Buffer }[]>`
    select hash from social.waiting_threads
    where waiting_since <= now() - ${minWait}::text::interval or waiting_since = 'infinity'
    order by waiting_since desc, hash
  `
  const failures: unknown[] = []
  const names = new Set(waiting.map(({ hash }) => hash.toString('hex')))
  for (const name of postponed.keys()) if (!names.has(name)) postponed.delete(name)
  for (const { hash } of waiting) {
    const name = hash.toString('hex')
    const retryMs = postponed.get(name)
    if (retryMs !== undefined && performance.now() < retryMs) continue
    const statementTime = retryMs === undefined ? STATEMENT_TIMES.first : STATEMENT_TIMES.later
    await moveThread(db, hash, hooks, statementTime).catch((error: unknown) => {
      if (outageOf(error) === 'StatementTimeout') postponed.set(name, performance.now() + POSTPONED_MS)
      failures.push(error)
    })
    // All would wait for the same lock.
    if (isLockTimeout(failures.at(-1))) break
  }
  if (failures.length > 0) throw failures[0]
}

async function moveThread(
  db: Database,
  hash: Buffer,
  { beforeMove, onThreadsMoved, onCastsMoved }: ThreadHooks,
  statementTime: string,
): Promise<void> {
  await db.begin(async (transaction) => {
    await beforeMove?.(transaction)
    await transaction`set local lock_timeout = 0`
    await projectInto(transaction, 'social')
    await lockThreadsExclusively(transaction)
    await transaction.unsafe(`set local statement_timeout = '${statementTime}'`)
    const [entry] = await transaction<{ fid: number }[]>`
      delete from waiting_threads where hash = ${db.types.bytea(hash)} returning fid`
    if (entry === undefined) return
    const activity = new UrlActivity()
    const moved = await settleReplies(transaction, { hash, fid: entry.fid }, activity)
    await inPipeline([
      ...activity.statements(transaction),
      onThreadsMoved(transaction, [hash.toString('hex'), ...moved]),
    ])
    await onCastsMoved?.(transaction, hash)
  })
}
