import type { Database } from '../db/connection.js'
import { PlazaError } from '../errors.js'

const DAY_SECONDS = 86_400

/**
 * Counts one request of this UTC day. All processes count in one row.
 *
 * @param now Unix milliseconds.
 * @throws PlazaError `unavailable` when the day has no request left.
 */
export async function takeDailyRequest(db: Database, limit: number, now: number): Promise<void> {
  const seconds = Math.floor(now / 1000)
  const taken = await db`
    insert into ai.usage as u (day, requests)
    select (to_timestamp(${seconds}) at time zone 'UTC')::date, 1 where ${limit}::integer > 0
    on conflict (day) do update set requests = u.requests + 1 where u.requests < ${limit}::integer
    returning day
  `
  if (taken.length > 0) return
  throw new PlazaError('unavailable', 'the AI requests of this day are used up', {
    retryAfterSeconds: DAY_SECONDS - (seconds % DAY_SECONDS),
  })
}
