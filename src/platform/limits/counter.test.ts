import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createCounter } from './counter.js'
import { limits } from './limits.js'

const tokenBucket = limits.apiRequests
const fixedWindow = limits.hubRequests

/** A counter that was given too many, and the status that it returned last. */
function exhaust(limit: typeof tokenBucket | typeof fixedWindow, max: number, tooMany: number) {
  let now = 0
  const counter = createCounter<string>(limit, () => now, max)
  for (let request = 0; request < max + tooMany; request += 1) counter.take('a')
  const status = counter.take('a')!
  const wait = (seconds: number) => {
    now += seconds * 1000
  }
  return { counter, status, wait }
}

describe('any counter', () => {
  it('uses the key’s own limit before the default; 0 is no limit', () => {
    const counter = createCounter<number>(tokenBucket, () => 0, 5)
    expect(counter.take(1, null)).toMatchObject({ limit: 5, remaining: 4 })
    expect(counter.take(2, 2)).toMatchObject({ limit: 2, remaining: 1 })
    expect(counter.take(3, 0)).toBeNull()
    const unlimited = createCounter<number>(tokenBucket, () => 0, 0)
    expect([unlimited.take(1), unlimited.waitSeconds(1)]).toEqual([null, 0])
  })

  it.each([
    ['token bucket', tokenBucket],
    ['fixed window', fixedWindow],
  ])('%s: waiting as long as it says is enough', (_algorithm, limit) => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 1000 }), fc.integer({ min: 0, max: 1000 }), (max, tooMany) => {
        const { counter, status, wait } = exhaust(limit, max, tooMany)
        expect(status.retryAfterSeconds).toBeGreaterThan(0)
        expect(counter.waitSeconds('a')).toBe(status.retryAfterSeconds)
        wait(status.retryAfterSeconds)
        expect(counter.waitSeconds('a')).toBe(0)
        expect(counter.take('a')?.retryAfterSeconds).toBe(0)
        wait(status.resetSeconds + 60 / max)
        expect(counter.take('a')?.remaining).toBe(max - 1)
      }),
    )
  })

  it.each([
    ['token bucket', tokenBucket],
    ['fixed window', fixedWindow],
  ])('%s: a clock that goes back an hour does not make anybody wait for it', (_algorithm, limit) => {
    let now = 7_200_000
    const counter = createCounter<string>(limit, () => now, 1)
    counter.take('a')
    now -= 3_600_000
    counter.take('a')
    expect(counter.take('a')?.retryAfterSeconds).toBeLessThanOrEqual(60)
  })

  it('counts nothing when it is asked how long to wait', () => {
    const counter = createCounter<string>(limits.adminFailures, () => 0)
    for (let attempt = 0; attempt < 100; attempt += 1) expect(counter.waitSeconds('a')).toBe(0)
    expect(counter.take('a')).toMatchObject({ remaining: 9 })
  })
})

describe('a token bucket', () => {
  it('lets a minute’s worth through at once, and after that what has refilled', () => {
    const requests = fc.array(fc.integer({ min: 0, max: 20_000 }), { minLength: 1, maxLength: 200 })
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 100 }), requests, (limit, pausesMs) => {
        let now = 1_000_000
        const counter = createCounter<string>(tokenBucket, () => now, limit)
        const allowedAt: number[] = []
        for (const pauseMs of pausesMs) {
          now += pauseMs
          const status = counter.take('a')!
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

  it('follows a key’s limit when it changes', () => {
    let now = 0
    const counter = createCounter<number>(tokenBucket, () => now, 0)
    counter.take(1, 10)
    expect(counter.take(1, 3)).toMatchObject({ limit: 3, remaining: 2 })
    now += 60_000
    expect(counter.take(1, 10)).toMatchObject({ limit: 10, remaining: 9 })
  })

  it('adds nothing when the clock goes back', () => {
    let now = 1_000_000
    const counter = createCounter<number>(tokenBucket, () => now, 1)
    counter.take(1)
    now -= 3_600_000
    expect(counter.take(1)?.retryAfterSeconds).toBe(60)
  })

  it('counts every one of many keys', () => {
    let now = 0
    const counter = createCounter<number>(tokenBucket, () => now, 1)
    const keys = Array.from({ length: 25_000 }, (_, keyId) => keyId)
    const allowedRequests = () => keys.filter((key) => counter.take(key)!.retryAfterSeconds === 0).length
    expect(allowedRequests()).toBe(25_000)
    now += 1_000
    expect(allowedRequests()).toBe(0)
    now += 60_000
    expect(allowedRequests()).toBe(25_000)
  })
})

describe('a fixed window', () => {
  it('starts with the first count and frees all of the limit when it ends', () => {
    let now = 0
    const counter = createCounter<string>(fixedWindow, () => now, 2)
    expect(counter.take('a')).toEqual({ limit: 2, remaining: 1, resetSeconds: 60, retryAfterSeconds: 0 })
    now = 59_001
    expect(counter.take('a')).toEqual({ limit: 2, remaining: 0, resetSeconds: 1, retryAfterSeconds: 0 })
    expect(counter.take('a')).toEqual({ limit: 2, remaining: 0, resetSeconds: 1, retryAfterSeconds: 1 })
    now = 60_000
    expect(counter.take('a')).toMatchObject({ remaining: 1, resetSeconds: 60, retryAfterSeconds: 0 })
  })

  it('drops the address that was used least recently, so that memory is bounded', () => {
    const counter = createCounter<number>(fixedWindow, () => 0, 1)
    for (let address = 0; address < fixedWindow.maxKeys; address += 1) counter.take(address)
    expect(counter.take(0)?.retryAfterSeconds).toBe(60)
    counter.take(-1)
    expect(counter.take(1)?.retryAfterSeconds).toBe(0)
    expect(counter.take(0)?.retryAfterSeconds).toBe(60)
  })
})
