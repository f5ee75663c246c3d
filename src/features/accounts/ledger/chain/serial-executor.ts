import type { Database, Transaction } from '../../../../platform/db/connection.js'

/**
 * Transactions of the database that ask the chain in the middle: one after the other in this process, since each holds a
 * connection, and a wallet, for as long as the chain takes. All at once would leave none for whoever asks no chain.
 */
export class SerialExecutor {
  readonly #db: Database
  #tail: Promise<unknown> = Promise.resolve()

  constructor(db: Database) {
    this.#db = db
  }

  /** Begins when those before it have ended, however they did. */
  run<T>(work: (transaction: Transaction) => Promise<T>): Promise<T> {
    const task = this.#tail.then(async () => {
      const result = await this.#db.begin(async (transaction) => ({ value: await work(transaction) }))
      return result.value
    })
    this.#tail = task.catch(() => {})
    return task
  }
}
