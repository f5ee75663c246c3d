import type { PendingQuery, Row } from '#postgres'
import type { Database, Transaction } from './connection.js'
import { isOfFailedTransaction } from './connection-errors.js'

/** A statement that has not been sent yet: it is sent when something awaits it. */
export type Statement = PendingQuery<Row[]>

/**
 * Runs the parts of a transaction side by side, so that what they send at once is one round trip, and waits for all of
 * them before it throws the error of the statement that failed first. With `Promise.all` the rollback would overtake the
 * parts that still run, and their next statement would run after it, outside of the transaction.
 */
export async function inPipeline<const Parts extends readonly unknown[]>(
  parts: Parts,
): Promise<{ -readonly [Part in keyof Parts]: Awaited<Parts[Part]> }> {
  let error: unknown
  let hasFailed = false
  const results = await Promise.all(
    parts.map(async (part) => {
      try {
        return await part
      } catch (caught) {
        // The others fail because the transaction has, and a part that does little may be heard of first.
        if (!hasFailed || isOfFailedTransaction(error)) error = caught
        hasFailed = true
        return undefined
      }
    }),
  )
  if (hasFailed) throw error
  return results as { -readonly [Part in keyof Parts]: Awaited<Parts[Part]> }
}

/** Adds last statements to a transaction: they are sent with its commit, so nothing may depend on their results. */
export type WithCommit = (statements: readonly Statement[]) => void

/**
 * Runs a transaction, and sends the statements that it passes to `withCommit` together with the commit, in one round trip.
 * If one fails, PostgreSQL answers the commit with a rollback, and this throws the statement's error.
 */
export async function transact<Result>(
  db: Database,
  work: (db: Transaction, withCommit: WithCommit) => Promise<Result>,
): Promise<Result> {
  const last: Statement[] = []
  let sent: Promise<unknown> = Promise.resolve()
  const result = await db.begin(async (transaction) => {
    const value = await work(transaction, (statements) => last.push(...statements))
    sent = inPipeline(last)
    // Awaited below: until then a failure is not unhandled.
    sent.catch(() => {})
    return { value }
  })
  await sent
  return (result as { value: Result }).value
}
