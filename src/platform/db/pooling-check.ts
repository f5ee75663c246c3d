import { setTimeout as sleep } from 'node:timers/promises'
import { connect, type Database } from './connection.js'
import { isUnavailable, NoConnectionError } from './connection-errors.js'

/** A pooler between this process and PostgreSQL gives every transaction another session. */
export class TransactionPoolingError extends Error {
  override readonly name = 'TransactionPoolingError'
}

const ROUNDS = 3
const ANSWER_LIMIT_MS = 5_000

/**
 * Refuses a pooler in transaction mode: prepared statements, session locks and LISTEN need one session for as long as a
 * connection lives. While a connection is in a transaction, its session is not free for others: another connection
 * that had it before then gets another one. A pooler in statement mode answers statements, and closes the connection of each that
 * begins a transaction.
 *
 * @throws TransactionPoolingError
 * @throws NoConnectionError when there is no answer: the database hangs, or a pooler has too few connections for two.
 */
export async function refuseTransactionPooling(url: string): Promise<void> {
  const open = () => connect(url, { poolSize: 1, applicationName: 'plaza start', keepsSessions: true })
  const [first, second] = [open(), open()]
  let closings = 0
  try {
    for (let round = 0; round < ROUNDS; round += 1) {
      const server = await serverOf(first)
      // What has no connection to give fails here.
      await sessionOf(second)
      const before = await sessionOf(first)
      const during = await second
        .begin(async (transaction) => {
          await sessionOf(transaction)
          return await Promise.race([sessionOf(first), sleep(ANSWER_LIMIT_MS, null, { ref: false })])
        })
        .catch(async (error: unknown) => {
          if (!isUnavailable(error) || (await serverOf(first)) !== server) throw error
          closings += 1
          return before
        })
      if (during === null) throw new NoConnectionError(silenceText)
      if (during !== before) throw new TransactionPoolingError(poolingText)
    }
    if (closings === ROUNDS) throw new TransactionPoolingError(statementPoolingText)
  } finally {
    await Promise.all([first, second].map((db) => db.end({ timeout: 0 })))
  }
}

/** A simple query: a prepared statement would itself fail. */
async function sessionOf(db: Pick<Database, 'unsafe'>): Promise<number> {
  const [row] = await db.unsafe<{ pid: number }[]>('select pg_backend_pid() as pid')
  return row!.pid
}

/** When the server was started, which no other one was in the same microsecond. */
async function serverOf(db: Pick<Database, 'unsafe'>): Promise<string> {
  const [row] = await db.unsafe<{ start: string }[]>('select pg_postmaster_start_time()::text as start')
  return row!.start
}

const silenceText = `DATABASE_URL: two connections did not get two sessions in ${ANSWER_LIMIT_MS / 1000} s: the database hangs, or a pooler in front of it has too few`
const statementPoolingText =
  'DATABASE_URL: the pooler in front of PostgreSQL closes connections that begin a transaction'
const poolingText =
  'DATABASE_URL: the pooler in front of PostgreSQL changes the session of a connection with every transaction'
