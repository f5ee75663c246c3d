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
