import type { Database } from '../../../platform/db/connection.js'
import type { RecentWindow } from './recent-window.js'

export interface DatabaseClockOptions {
  readonly db: Database
  readonly window: RecentWindow
  /** Unix milliseconds. */
  readonly clock: () => number
}

/** Interval between measurements: both clocks may be set while the server runs. */
const CLOCK_INTERVAL_MS = 60_000

/**
 * An offset is too high by up to the time that its statement took, which may have waited for a connection: later pages would
 * count recasts of that time, which the first page lacked, and show them twice. A far database answers sooner than this.
 */
const MAX_ROUND_TRIP_MS = 200

/**
 * Measures how far the clock of the database is ahead, about once a minute. An answer that came late is asked for again at the
 * next call; until there is a better one it counts, because without it the offset may be hours.
 */
export async function measureClock({ db, window, clock }: DatabaseClockOptions): Promise<void> {
  const askedAtMs = clock()
  // In both directions: the clock may have been set back.
  const isDue = Math.abs(askedAtMs - (window.clockMeasuredAtMs ?? Infinity)) >= CLOCK_INTERVAL_MS
  if (window.maxEntries === 0 || !isDue) return
  const [row] = await db<{ nowMs: number }[]>`
    select (extract(epoch from statement_timestamp()) * 1000)::float8 as "nowMs"`
  const roundTripMs = clock() - askedAtMs
  const isExact = roundTripMs >= 0 && roundTripMs <= MAX_ROUND_TRIP_MS
  if (!isExact && window.clockMeasuredAtMs !== null) return
  // Against the clock before the statement: a moment that is too early would count recasts on no page.
  const offsetMs = row!.nowMs - askedAtMs
  const wasSet = Math.abs(offsetMs - window.clockOffsetMs) > MAX_ROUND_TRIP_MS
  window.clockOffsetMs = offsetMs
  if (isExact) window.clockMeasuredAtMs = askedAtMs
  // The wrong clock told the moment of the last recast. Otherwise it stays: first pages are equal between two recasts.
  if (wasSet) window.noteRecasts()
}
