import type { Queryable } from '../../../platform/db/connection.js'
import type { RateLimits } from './campaign-client.js'

/**
 * SQL: whether the rate window `p` of a token, which may be missing, has room for another notification. Sends after the present
 * are none: they stay behind when the clock of the database is set back. The present is that of the wall clock, because a
 * transaction that began later may have sent before.
 */
export function hasRoom(db: Queryable, { intervalSeconds, perDay }: RateLimits) {
  return db`
    (
      select coalesce(max(s) <= now() - ${intervalSeconds} * interval '1 second', true)
        and count(*) filter (where s > now() - interval '1 day') < ${perDay}
      from unnest(p.sent_at) s
      where s <= clock_timestamp()
    )`
}

/** SQL: the sends of the rate window `p` that still count, in order. */
export function countedSends(db: Queryable) {
  return db`
    array(
      select s from unnest(p.sent_at) s where s > now() - interval '1 day' and s <= clock_timestamp() order by s
    )`
}
