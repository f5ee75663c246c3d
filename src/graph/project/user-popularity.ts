import type { PendingQuery, Row } from 'postgres'
import type { Queryable } from '../../platform/db/connection.js'

/**
 * How well known and trusted a user is, as an expression over `u` (social.users) and `c` (social.user_counts, outer
 * joined): `(1 + ln(1 + followers)) * (0.1 + score)`. It grows with both; ten thousand followers of an account that
 * is surely spam weigh as much as a handful of an honest one's.
 */
export function popularityOf(db: Queryable): PendingQuery<Row[]> {
  return db`(1 + ln(1 + greatest(coalesce(c.follower_count, 0), 0))) * (0.1 + coalesce(u.score, 0)::float8)`
}

/** Above every key part that is an integer, and above every standing. */
export const MAX_SORT_KEY = Number.MAX_SAFE_INTEGER
