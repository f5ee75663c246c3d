import type { PendingQuery, Row } from '#postgres'
import type { Queryable } from '../../platform/db/connection.js'

/**
 * The popularity of a user, as SQL over `u` (social.users) and `c` (social.user_counts, outer joined): `(1 +
 * ln(1 + followers)) * (0.1 + score)`. It grows with both: ten thousand followers of a certain spam account
 * weigh as much as a handful of an honest one.
 */
export function popularityOf(db: Queryable): PendingQuery<Row[]> {
  return db`(1 + ln(1 + greatest(coalesce(c.follower_count, 0), 0))) * (0.1 + coalesce(u.score, 0)::float8)`
}

/** A sort key above every timestamp, fid and popularity. */
export const MAX_SORT_KEY = Number.MAX_SAFE_INTEGER
