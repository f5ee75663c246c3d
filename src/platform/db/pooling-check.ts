import { setTimeout as sleep } from 'node:timers/promises'
import { connect, type Database } from './connection.js'
import { NoConnectionError } from './connection-errors.js'

/** A pooler between this process and PostgreSQL gives every transaction another session. */
export class TransactionPoolingError extends Error {
  override readonly name = 'TransactionPoolingError'
}

const ROUNDS = 3
const ANSWER_LIMIT_MS = 5_000

/**
 * Refuses a pooler in transaction mode: prepared statements, session locks and LISTEN need one session for as long as a
 * connection lives. While a connection is in a transaction, its session is not free for others: another connection
 * that had it before then gets another one.
 *
 * @throws TransactionPoolingError
 * @throws NoConnectionError when there is no answer: the database hangs, or a pooler has too few connections for two.
 */
export async function refuseTransactionPooling(url: string): Promise<void> {
  const open = () => connect(url, { poolSize: 1, applicationName: 'plaza start', keepsSessions: true })
  const [first, second] = [open(), open()]
  try {
    for (let round = 0; round < ROUNDS; round += 1) {
      const before = await sessionOf(first)
      const during = await second.begin(async (transaction) => {
        await sessionOf(transaction)
        return await Promise.race([sessionOf(first), sleep(ANSWER_LIMIT_MS, null, { ref: false })])
      })
      if (during === null) throw new NoConnectionError(silenceText)
      if (during !== before) throw new TransactionPoolingError(poolingText)
    }
  } finally {
    await Promise.all([first, second].map((db) => db.end({ timeout: 0 })))
  }
}

/** A simple query: a prepared statement would itself fail. */
async function sessionOf(db: Pick<Database, 'unsafe'>): Promise<number> {
  const [row] = await db.unsafe<{ pid: number }[]>('select pg_backend_pid() as pid')
  return row!.pid
}

const silenceText = `DATABASE_URL: two connections did not get two sessions in ${ANSWER_LIMIT_MS / 1000} s: the database hangs, or a pooler in front of it has too few`
const poolingText =
  'DATABASE_URL: the pooler in front of PostgreSQL changes the session of a connection with every transaction'
