import type { Database, Transaction } from '../../../../platform/db/connection.js'

/**
 * Transactions of the database that ask the chain in the middle: one after the other in this process, since each holds a
 * connection, and a wallet, for as long as the chain takes. All at once would leave none for whoever asks no chain.
 */
export class OneByOne {
  readonly #db: Database
  #last: Promise<unknown> = Promise.resolve()

  constructor(db: Database) {
    this.#db = db
  }

  /** Begins when those before it have ended, however they did. */
  begin<T>(work: (transaction: Transaction) => Promise<T>): Promise<T> {
    const turn = this.#last.then(async () => {
      const done = await this.#db.begin(async (transaction) => ({ value: await work(transaction) }))
      return done.value
    })
    this.#last = turn.catch(() => {})
    return turn
  }
}
