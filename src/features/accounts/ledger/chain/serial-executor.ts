import type { Database, Transaction } from '../../../../platform/db/connection.js'

/**
 * Runs database transactions that call the chain one at a time in this process.
 *
 * Each holds a connection and a wallet lock while the chain responds; concurrent ones would exhaust the pool.
 */
export class SerialExecutor {
  readonly #db: Database
  #tail: Promise<unknown> = Promise.resolve()

  constructor(db: Database) {
    this.#db = db
  }

  /** Runs the work when all earlier work has ended, successfully or not. */
  run<T>(work: (transaction: Transaction) => Promise<T>): Promise<T> {
    const task = this.#tail.then(async () => {
      const result = await this.#db.begin(async (transaction) => ({ value: await work(transaction) }))
      return result.value
    })
    this.#tail = task.catch(() => {})
    return task
  }
}
