import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createComparisonRate } from './reconcile-loop.js'

test('users per minute: as many are due as are configured, however long each look took', () => {
  const perMinute = fc.oneof(fc.nat({ max: 200 }), fc.nat({ max: 100_000 }))
  const waits = fc.array(fc.double({ min: 0, max: 20_000, noNaN: true }), { minLength: 1, maxLength: 200 })
  fc.assert(
    fc.property(perMinute, waits, (users, pauses) => {
      let nowMs = 0.7
      const rate = createComparisonRate(users, () => nowMs)
      let taken = 0
      for (const pauseMs of pauses) {
        nowMs += pauseMs
        taken += rate.take(Number.POSITIVE_INFINITY)
        expect(taken).toBe(Math.floor((users * Math.floor(nowMs)) / 60_000))
      }
    }),
  )
})

test('users per minute: what was not taken stays due, but no more than a minute has', () => {
  let nowMs = 0
  const rate = createComparisonRate(60, () => nowMs)
  nowMs = 30_000
  expect([rate.take(10), rate.take(100), rate.take(100)]).toEqual([10, 20, 0])
  nowMs = 3_600_000
  expect([rate.take(1_000), rate.take(1_000)]).toEqual([60, 0])
})

test('users per minute: one of them is due each minute, at whichever times it is looked', () => {
  let nowMs = 0
  const rate = createComparisonRate(1, () => nowMs)
  const taken = Array.from({ length: 7 }, () => {
    nowMs += 19_500
    return rate.take(10)
  })
  expect(taken).toEqual([0, 0, 0, 1, 0, 0, 1])
})
