import fc from 'fast-check'
import { expect, it } from 'vitest'
import { nextAttemptAt, parseRetryAfter, RETRY_WINDOW_MS } from './retry-schedule.js'

const start = Date.UTC(2026, 10, 1)
const HOUR_MS = 3_600_000

/** Lists the times of all attempts of a delivery that always fails. */
function attemptsOf(random: () => number, retryAfterMs = 0): number[] {
  const times = [start]
  for (;;) {
    const next = nextAttemptAt(
      { attempts: times.length, firstAttemptAtMs: start, nowMs: times.at(-1)!, retryAfterMs },
      random(),
    )
    if (next === null) return times
    times.push(next)
  }
}

it('delays grow up to four hours, for a day', () => {
  const times = attemptsOf(() => 0.5)
  const delays = times.slice(1).map((time, index) => (time - times[index]!) / 1000)
  expect(delays).toEqual([5, 15, 45, 135, 405, 1215, 3645, 10_935, 14_400, 14_400, 14_400, 14_400])
})

it('chance makes a delay up to a fifth shorter or longer', () => {
  expect([0, 0.5, 1].map((random) => attemptsOf(() => random)[1]! - start)).toEqual([4_000, 5_000, 6_000])
})

it('no attempt begins after a day, and at least twelve within it', () => {
  fc.assert(
    fc.property(fc.infiniteStream(fc.double({ min: 0, max: 1, noNaN: true })), (stream) => {
      const times = attemptsOf(() => stream.next().value)
      expect(times.at(-1)! - start).toBeLessThanOrEqual(RETRY_WINDOW_MS)
      expect(times.at(-1)! - start).toBeGreaterThan(RETRY_WINDOW_MS - 5 * HOUR_MS)
      expect(times.length).toBeGreaterThanOrEqual(12)
    }),
  )
})

it('a target gets the delay that it asks for, within the day', () => {
  expect(attemptsOf(() => 0.5, HOUR_MS)[1]! - start).toBe(HOUR_MS)
  expect(attemptsOf(() => 0.5, 100 * HOUR_MS)).toEqual([start, start + RETRY_WINDOW_MS])
})

it.each([
  [undefined, 0],
  [' 120 ', 120_000],
  ['120', 120_000],
  [' 0 ', 0],
  ['Sun, 01 Nov 2026 00:01:00 GMT', 60_000],
  ['Sun, 01 Nov 2020 00:01:00 GMT', 0],
  ['Sunday, 01-Nov-26 00:01:00 GMT', 60_000],
  ['Sun Nov  1 00:01:00 2026', 60_000],
  ['soon', 0],
  ['-5', 0],
  ['99999999999999', 0],
])('reads Retry-After: %s', (header, ms) => {
  expect(parseRetryAfter(header, start)).toBe(ms)
})
