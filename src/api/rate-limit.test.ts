import fc from 'fast-check'
import { expect, it } from 'vitest'
import { createRateLimiter } from './rate-limit.js'

const caller = (rateLimit: number | null, keyId = 1) => ({ appId: 'a', keyId, rateLimit })

it('is the server’s for a key that has none of its own, and 0 is none', () => {
  const limiter = createRateLimiter(5, () => 0)
  expect(limiter.take(caller(null))).toMatchObject({ limit: 5, remaining: 4 })
  expect(limiter.take(caller(2, 2))).toMatchObject({ limit: 2, remaining: 1 })
  expect(limiter.take(caller(0, 3))).toBeNull()
  expect(createRateLimiter(0, () => 0).take(caller(null))).toBeNull()
})

it('lets a minute’s worth through at once, never more than that and what has filled up since', () => {
  const requests = fc.array(fc.integer({ min: 0, max: 20_000 }), { minLength: 1, maxLength: 200 })
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 100 }), requests, (limit, pausesMs) => {
      let now = 1_000_000
      const limiter = createRateLimiter(limit, () => now)
      const allowedAt: number[] = []
      for (const pauseMs of pausesMs) {
        now += pauseMs
        const status = limiter.take(caller(null))!
        expect(status.remaining).toBeGreaterThanOrEqual(0)
        expect(status.remaining).toBeLessThan(limit)
        if (status.retryAfterSeconds === 0) allowedAt.push(now)
        for (const [index, startIndex] of allowedAt.entries()) {
          const allowed = limit + ((now - startIndex) * limit) / 60_000
          expect(allowedAt.length - index).toBeLessThanOrEqual(allowed + 1e-6)
        }
      }
    }),
  )
})

it('says truly when to come back, and when everything may be used again', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 1000 }), fc.integer({ min: 0, max: 1000 }), (limit, tooMany) => {
      let now = 0
      const limiter = createRateLimiter(limit, () => now)
      for (let request = 0; request < limit + tooMany; request += 1) limiter.take(caller(null))
      const { retryAfterSeconds, resetSeconds } = limiter.take(caller(null))!
      expect(retryAfterSeconds).toBeGreaterThan(0)
      now += retryAfterSeconds * 1000
      expect(limiter.take(caller(null))?.retryAfterSeconds).toBe(0)
      now += (resetSeconds + 60 / limit) * 1000
      expect(limiter.take(caller(null))?.remaining).toBe(limit - 1)
    }),
  )
})

it('goes up and down with the limit of the key', () => {
  let now = 0
  const limiter = createRateLimiter(0, () => now)
  limiter.take(caller(10))
  expect(limiter.take(caller(3))).toMatchObject({ limit: 3, remaining: 2 })
  now += 60_000
  expect(limiter.take(caller(10))).toMatchObject({ limit: 10, remaining: 9 })
})

it('does not lend time to a clock that goes back', () => {
  let now = 1_000_000
  const limiter = createRateLimiter(1, () => now)
  limiter.take(caller(null))
  now -= 3_600_000
  expect(limiter.take(caller(null))?.retryAfterSeconds).toBe(60)
})

it('counts each of many keys', () => {
  let now = 0
  const limiter = createRateLimiter(1, () => now)
  const keys = Array.from({ length: 25_000 }, (_, keyId) => keyId)
  const allowedRequests = () =>
    keys.filter((keyId) => limiter.take(caller(null, keyId))!.retryAfterSeconds === 0).length
  expect(allowedRequests()).toBe(25_000)
  now += 1_000
  expect(allowedRequests()).toBe(0)
  now += 60_000
  expect(allowedRequests()).toBe(25_000)
})
