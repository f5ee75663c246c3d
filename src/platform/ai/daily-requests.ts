import type { Fragment } from '#postgres'
import type { Database } from '../db/connection.js'
import { DAY_SECONDS } from '../durations.js'
import { PlazaError } from '../errors.js'

/** The day has no request left: nothing is wrong with the endpoint, and nothing was sent. */
export class AiRequestsUsedUp extends PlazaError {}

/**
 * Counts one request of this UTC day. All processes count in one row.
 *
 * @param now Unix milliseconds.
 * @throws AiRequestsUsedUp `unavailable` when the day has no request left.
 */
export async function takeDailyRequest(db: Database, limit: number, now: number): Promise<void> {
  const taken = await db`
    insert into ai.usage as u (day, requests)
    select ${dayOf(db, now)}, 1 where ${limit}::integer > 0
    on conflict (day) do update set requests = u.requests + 1 where u.requests < ${limit}::integer
    returning day
  `
  if (taken.length === 0) throw requestsUsedUp(now)
}

/** The refusal until the next UTC day. `now` is in Unix milliseconds. */
export function requestsUsedUp(now: number): AiRequestsUsedUp {
  const seconds = Math.floor(now / 1000)
  return new AiRequestsUsedUp('unavailable', 'the AI requests of this day are used up', {
    retryAfterSeconds: DAY_SECONDS - (seconds % DAY_SECONDS),
  })
}

/**
 * Counts one request of the embedding job against its share of this UTC day. All processes count in one row, so that the
 * share holds however often a worker restarts.
 *
 * @param now Unix milliseconds.
 * @returns false when the share is used up.
 */
export async function takeEmbeddingRequest(db: Database, share: number, now: number): Promise<boolean> {
  const taken = await db`
    insert into ai.usage as u (day, requests, embedding_requests)
    select ${dayOf(db, now)}, 0, 1 where ${share}::integer > 0
    on conflict (day) do update set embedding_requests = u.embedding_requests + 1
    where u.embedding_requests < ${share}::integer
    returning day
  `
  return taken.length > 0
}

/**
 * Gives back a request of the embedding job that was not sent.
 *
 * @param now Unix milliseconds, as when it was taken.
 */
export async function giveBackEmbeddingRequest(db: Database, now: number): Promise<void> {
  await db`
    update ai.usage set embedding_requests = embedding_requests - 1
    where day = ${dayOf(db, now)} and embedding_requests > 0`
}

/** SQL: the UTC day of a time in Unix milliseconds. */
function dayOf(db: Database, now: number): Fragment {
  return db`(to_timestamp(${Math.floor(now / 1000)}) at time zone 'UTC')::date`
}
