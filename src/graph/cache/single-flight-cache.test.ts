import { describe, expect, test } from 'vitest'
import type { Database } from '../../platform/db/connection.js'
import { Invalidation } from './invalidation.js'
import { SingleFlightCache } from './single-flight-cache.js'

const maxAgeMs = 1_000
/** Loads of these tests read no database. */
const db = {} as Database

/** Reads that end when the test says so. */
function setUpReads() {
  let now = 0
  const invalidation = new Invalidation()
  const singleFlight = new SingleFlightCache(db, () => now, invalidation)
  const pending: ((value: string) => void)[] = []
  const read = () =>
    singleFlight.read('key', maxAgeMs, async () => {
      const value = await new Promise<string>((resolve) => pending.push(resolve))
      return { value, tags: ['tag'] }
    })
  const finish = async (value: string) => {
    pending.shift()!(value)
    await new Promise(setImmediate)
  }
  return {
    singleFlight,
    invalidation,
    pending,
    read,
    finish,
    advanceClock: (ms: number) => (now += ms),
  }
}

describe('single-flight cache', () => {
  test('concurrent reads run once', async () => {
    const { singleFlight, pending, read, finish } = setUpReads()
    const both = Promise.all([read(), read()])
    expect(singleFlight.has('key')).toBe(false)
    await finish('page')
    expect(singleFlight.has('key')).toBe(true)
    expect([await both, pending.length]).toEqual([['page', 'page'], 0])
  })

  test('a young value is returned, an old one is read again', async () => {
    const { pending, read, finish, advanceClock } = setUpReads()
    const first = read()
    await finish('old')
    advanceClock(maxAgeMs)
    expect([await first, await read(), pending.length]).toEqual(['old', 'old', 0])
    advanceClock(1)
    const second = read()
    await finish('new')
    expect(await second).toBe('new')
  })

  test('changes start no second read of a value without tags, and do not drop it', async () => {
    const { singleFlight, invalidation, pending, finish } = setUpReads()
    const read = () =>
      singleFlight.readUntagged(
        'key',
        maxAgeMs,
        () => new Promise<string>((resolve) => pending.push(resolve)),
      )
    const first = read()
    invalidation.apply({ tags: ['tag'] })
    const second = read()
    expect(pending.length).toBe(1)
    await finish('ranking')
    invalidation.apply({ tags: ['tag'] })
    expect(await Promise.all([first, second, read()])).toEqual(['ranking', 'ranking', 'ranking'])
  })

  test('an invalidation drops a cached value and detaches a read in flight', async () => {
    const { invalidation, read, finish } = setUpReads()
    const before = read()
    invalidation.apply({ tags: ['tag'] })
    const after = read()
    await finish('read before')
    await finish('read after')
    expect([await before, await after, await read()]).toEqual(['read before', 'read after', 'read after'])
    invalidation.apply({ tags: ['tag'] })
    const again = read()
    await finish('read again')
    expect(await again).toBe('read again')
  })

  test('a failed read is not cached', async () => {
    const singleFlight = new SingleFlightCache(db, () => 0, new Invalidation())
    const failing = singleFlight.read('key', maxAgeMs, () => Promise.reject(new Error('away')))
    await expect(failing).rejects.toThrow('away')
    expect(await singleFlight.read('key', maxAgeMs, async () => ({ value: 'back', tags: [] }))).toBe('back')
  })

  test('activity of an author of the value -> read again, of others -> not', async () => {
    const invalidation = new Invalidation()
    const singleFlight = new SingleFlightCache(db, () => 0, invalidation)
    let reads = 0
    const read = () =>
      singleFlight.read('key', maxAgeMs, async () => {
        reads += 1
        return { value: reads, tags: [], authors: new Set([1, 2]) }
      })
    expect([await read(), await read()]).toEqual([1, 1])
    invalidation.apply({ tags: [], authors: [3, 4] })
    expect(await read()).toBe(1)
    invalidation.apply({ tags: [], authors: [3, 2] })
    expect([await read(), await read()]).toEqual([2, 2])
    // So much activity that the offset is forgotten.
    invalidation.apply({ tags: [], authors: Array.from({ length: 30_000 }, () => 3) })
    expect([await read(), await read()]).toEqual([3, 3])
  })

  test.each([
    ['lists', (length: number) => Array.from({ length }, (_, n) => n)],
    ['sets', (length: number) => new Set(Array.from({ length }, (_, n) => n))],
    ['maps', (length: number) => new Map(Array.from({ length }, (_, n) => [n, n]))],
  ])('long %s take the room of many values', async (_, create) => {
    const singleFlight = new SingleFlightCache(db, () => 0, new Invalidation())
    const read = (key: string, length: number) =>
      singleFlight.read(key, maxAgeMs, async () => ({ value: create(length), tags: [] }))
    const kept = () => ['first', 'second', 'third'].filter((key) => singleFlight.has(key))
    await read('first', 300_000)
    await read('second', 100_000)
    expect(kept()).toEqual(['first', 'second'])
    await read('third', 200_000)
    expect(kept()).toHaveLength(2)
  })

  test('disabled: shares reads in flight and keeps nothing', async () => {
    const singleFlight = new SingleFlightCache(db, () => 0, new Invalidation(), false)
    let reads = 0
    const read = () =>
      singleFlight.read('key', maxAgeMs, async () => {
        reads += 1
        return { value: reads, tags: [] }
      })
    expect(await Promise.all([read(), read()])).toEqual([1, 1])
    expect(await read()).toBe(2)
  })
})
