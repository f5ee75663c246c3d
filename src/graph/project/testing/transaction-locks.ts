import type { Database, Transaction } from '../../../platform/db/connection.js'

/** Does something in a transaction, and keeps it open until it is released. */
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

/** Something to wait for. */
export function createGate(): { readonly opened: Promise<void>; open(): void } {
  let open = () => {}
  const opened = new Promise<void>((resolve) => {
    open = resolve
  })
  return { opened, open: () => open() }
}

/** How many statements of this database wait for a lock, of those that begin so. */
export async function countLockWaiters(db: Database, queryPrefix = ''): Promise<number> {
  const rows = await db`
    select from pg_stat_activity
    where wait_event_type = 'Lock' and datname = current_database() and starts_with(query, ${queryPrefix})
  `
  return rows.length
}
