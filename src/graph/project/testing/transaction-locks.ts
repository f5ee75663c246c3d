import { expect } from 'vitest'
import type { Database, Transaction } from '../../../platform/db/connection.js'

/** Runs work in a transaction and keeps the transaction open until it is released. */
export async function holdTransaction(
  db: Database,
  work: (transaction: Transaction) => PromiseLike<unknown>,
): Promise<{ release(): Promise<void> }> {
  const gate = createGate()
  let isDone = () => {}
  const done = new Promise<void>((resolve) => {
    isDone = resolve
  })
  const heldTransaction = db.begin(async (transaction) => {
    await work(transaction)
    isDone()
    await gate.opened
  })
  await Promise.race([done, heldTransaction])
  return {
    async release() {
      gate.open()
      await heldTransaction
    },
  }
}

/** A promise that is resolved from outside. */
export function createGate(): { readonly opened: Promise<void>; open(): void } {
  let open = () => {}
  const opened = new Promise<void>((resolve) => {
    open = resolve
  })
  return { opened, open: () => open() }
}

/** The number of statements with this prefix that wait for a lock in this database. */
export async function countLockWaiters(db: Database, queryPrefix = ''): Promise<number> {
  const rows = await db`
    select from pg_stat_activity
    where wait_event_type = 'Lock' and datname = current_database() and starts_with(query, ${queryPrefix})
  `
  return rows.length
}

/** Starts a replay and holds it where it builds an index, with all that was stored before it loaded. */
export async function holdIndexBuild(
  db: Database,
  other: Database,
  start: () => void,
): Promise<{ release(): Promise<void> }> {
  const messages = await holdTransaction(
    other,
    (sql) => sql`lock table hub.messages in access exclusive mode`,
  )
  start()
  // The replay waits for the messages: its tables exist and it has the log position.
  await expect.poll(() => countLockWaiters(db)).toBe(1)
  const casts = await holdTransaction(
    other,
    (sql) => sql`lock table social_replay.casts in row exclusive mode`,
  )
  await messages.release()
  await expect.poll(() => countLockWaiters(db, 'CREATE INDEX')).toBe(1)
  return casts
}
