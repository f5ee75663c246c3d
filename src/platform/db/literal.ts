import type { Fragment } from '#postgres'
import type { Queryable } from './connection.js'

/**
 * SQL for a number that is part of a statement's text, not a parameter. A plan for all values of a parameter does not use a
 * partial index (`where type = 2`), and guesses how many rows a limit leaves. Each text is prepared on every connection and
 * stays there: use it for constants, and numbers of which there are a few.
 */
export function literal(db: Queryable, value: number): Fragment {
  return db.unsafe(String(value))
}
