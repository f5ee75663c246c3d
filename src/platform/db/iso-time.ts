import type { Fragment } from '#postgres'
import type { Queryable } from './connection.js'

/** SQL for a time as the API shows it: ISO 8601 in UTC with milliseconds. Null stays null. */
export function isoTime(db: Queryable, time: Fragment): Fragment {
  return db`to_char(${time} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`
}
