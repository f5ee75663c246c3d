import { expect, test } from 'vitest'
import type { Database } from '../../../platform/db/connection.js'
import { measureClock } from './database-clock.js'
import { RecentWindow } from './recent-window.js'

/** A database whose clock is ahead of that of the server, and a window. */
function createClocks(maxEntries = 10) {
  const state = { nowMs: 1e12, aheadMs: 0, waitMs: 0, statements: 0 }
  const clock = () => state.nowMs
  const db = (async () => {
    state.statements += 1
    state.nowMs += state.waitMs
    return [{ nowMs: state.nowMs + state.aheadMs }]
  }) as unknown as Database
  const window = new RecentWindow({ maxEntries, clock })
  const measure = async (changes: Partial<typeof state>) => {
    Object.assign(state, changes)
    await measureClock({ db, window, clock })
    return window.clockOffsetMs
  }
  return { state, window, measure }
}

test('the clock of the database is looked at once a minute, also when that of the server is set back', async () => {
  const { state, measure } = createClocks()
  expect(await measure({ aheadMs: 5_000 })).toBe(5_000)
  expect(await measure({ nowMs: state.nowMs + 59_000, aheadMs: 7_000 })).toBe(5_000)
  expect(await measure({ nowMs: state.nowMs + 1_000 })).toBe(7_000)
  expect(await measure({ nowMs: state.nowMs - 60_000, aheadMs: 67_000 })).toBe(67_000)
  expect(state.statements).toBe(3)
})

test('an answer that came late says nothing, unless there is no other', async () => {
  const { state, measure } = createClocks()
  expect(await measure({ aheadMs: 5_000, waitMs: 3_000 })).toBe(8_000)
  expect(await measure({ waitMs: 20 })).toBe(5_020)
  expect(await measure({ nowMs: state.nowMs + 60_000, aheadMs: 6_000, waitMs: 3_000 })).toBe(5_020)
  // The clock of the server is set back meanwhile.
  expect(await measure({ waitMs: -3_000 })).toBe(5_020)
  expect(await measure({ waitMs: 0 })).toBe(6_000)
})

test('the moment of the last recast changes when a clock was set, and not with each measurement', async () => {
  const { state, window, measure } = createClocks()
  await measure({ aheadMs: 5_000 })
  const first = window.recastsUntilMicros
  expect(first / 1000).toBeCloseTo(state.nowMs + 5_000, -1)
  await measure({ nowMs: state.nowMs + 60_000, aheadMs: 5_100 })
  expect(window.recastsUntilMicros).toBe(first)
  await measure({ nowMs: state.nowMs + 60_000, aheadMs: 0 })
  expect(window.recastsUntilMicros / 1000).toBeCloseTo(state.nowMs, -1)
})

test('a window that keeps nothing needs no clock', async () => {
  const { state, measure } = createClocks(0)
  await measure({ aheadMs: 5_000 })
  expect(state.statements).toBe(0)
})
