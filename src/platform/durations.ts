/** Lengths of time, in the unit that their names end with. */

export const SECOND_MS = 1_000
export const MINUTE_MS = 60_000
export const HOUR_MS = 3_600_000
export const DAY_MS = 86_400_000
export const MINUTE_SECONDS = 60
export const HOUR_SECONDS = 3_600
export const DAY_SECONDS = 86_400

/** Whether a time is less than a duration ago. After a clock has gone back it is not: it would be for as long as the step. */
export function isRecent(thenMs: number, nowMs: number, durationMs: number): boolean {
  const ageMs = nowMs - thenMs
  return ageMs >= 0 && ageMs < durationMs
}
