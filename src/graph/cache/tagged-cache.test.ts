import { setImmediate } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import fc from 'fast-check'
import { expect, test, vi } from 'vitest'
import { cacheTag } from './cache-tags.js'
import { Invalidation } from './invalidation.js'
import { splitCached, TaggedCache, unique } from './tagged-cache.js'

const letters = ['a', 'b', 'c'] as const

test('no cache returns a value whose tag was invalidated after its read began', () => {
  const step = fc.oneof(
    fc.record({ kind: fc.constant('begin' as const), tag: fc.constantFrom(...letters) }),
    fc.record({ kind: fc.constant('put' as const), cache: fc.nat(1), tag: fc.constantFrom(...letters) }),
    fc.record({ kind: fc.constant('drop' as const), tag: fc.constantFrom(...letters) }),
    fc.record({ kind: fc.constant('clear' as const) }),
  )
  fc.assert(
    fc.property(fc.array(step, { maxLength: 40, size: 'max' }), (steps) => {
      const invalidation = new Invalidation()
      const caches = [0, 1].map(() => new TaggedCache<{ version: number }>({ invalidation, maxEntries: 10 }))
      const version = { a: 0, b: 0, c: 0 }
      /** The version of each letter that was read, and when the read began. */
      const read = new Map<string, { since: number; version: number }>()
      for (const each of steps) {
        if (each.kind === 'begin')
          read.set(each.tag, { since: invalidation.currentVersion(), version: version[each.tag] })
        if (each.kind === 'put') {
          const reading = read.get(each.tag)
          if (reading)
            caches[each.cache]!.put(each.tag, { version: reading.version }, () => [each.tag], reading.since)
        }
        if (each.kind === 'drop') {
          version[each.tag] += 1
          invalidation.apply({ tags: [each.tag] })
        }
        if (each.kind === 'clear') {
          for (const letter of letters) version[letter] += 1
          invalidation.apply({ tags: [cacheTag.everything] })
        }
        for (const letter of letters) {
          for (const cache of caches) {
            const cached = cache.get(letter)
            if (cached) expect(cached.version).toBe(version[letter])
          }
        }
      }
    }),
  )
})

test('a value stays until one of its tags is invalidated', () => {
  const invalidation = new Invalidation()
  const cache = new TaggedCache<{ name: string }>({ invalidation, maxEntries: 10 })
  cache.put('one', { name: 'one' }, () => ['a', 'b'], cache.currentVersion())
  cache.put('two', { name: 'two' }, () => ['c'], cache.currentVersion())
  invalidation.apply({ tags: ['d'] })
  expect(cache.get('one')).toEqual({ name: 'one' })
  invalidation.apply({ tags: ['b', 'd'] })
  expect([cache.get('one'), cache.get('two')]).toEqual([undefined, { name: 'two' }])
})

test('a value read at a forgotten version is not cached', () => {
  const invalidation = new Invalidation()
  const cache = new TaggedCache<{ name: string }>({ invalidation, maxEntries: 10 })
  const since = cache.currentVersion()
  for (let n = 0; n < 100_002; n += 1) invalidation.apply({ tags: [`tag ${n}`] })
  cache.put('one', { name: 'one' }, () => ['a'], since)
  expect(cache.get('one')).toBeUndefined()
  cache.put('one', { name: 'one' }, () => ['a'], cache.currentVersion())
  expect(cache.get('one')).toEqual({ name: 'one' })
})

test('a full cache keeps its bound, and its tags drop what is in it', () => {
  const step = fc.record({ key: fc.nat(30), isAsked: fc.boolean(), isDropped: fc.boolean() })
  fc.assert(
    fc.property(fc.array(step, { maxLength: 200, size: 'max' }), (steps) => {
      const invalidation = new Invalidation()
      const cache = new TaggedCache<{ key: number }>({ invalidation, maxEntries: 10 })
      for (const { key, isAsked, isDropped } of steps) {
        const tags = [`of ${key}`, `third ${key % 3}`, 'all']
        cache.put(`${key}`, { key }, () => tags, cache.currentVersion())
        if (isAsked) expect(cache.get(`${key}`)).toEqual({ key })
        if (isDropped) invalidation.apply({ tags: [`of ${key}`] })
        if (isDropped) expect(cache.get(`${key}`)).toBeUndefined()
      }
      const keptKeys = () =>
        Array.from({ length: 31 }, (_, key) => cache.get(`${key}`)?.key ?? -1).filter((key) => key >= 0)
      expect(keptKeys().length).toBeLessThanOrEqual(10)
      invalidation.apply({ tags: ['third 1'] })
      expect(keptKeys().filter((key) => key % 3 === 1)).toEqual([])
      invalidation.apply({ tags: ['all'] })
      expect(keptKeys()).toEqual([])
    }),
    { numRuns: 50 },
  )
})

test('an entry that is asked for outlives thousands that are read once', () => {
  const cache = new TaggedCache<{ key: number }>({ invalidation: new Invalidation(), maxEntries: 10 })
  const put = (key: number) => cache.put(`${key}`, { key }, () => ['all'], cache.currentVersion())
  put(0)
  for (let key = 1; key < 3_000; key += 1) {
    put(key)
    expect(cache.get('0')).toEqual({ key: 0 })
  }
  expect(cache.get('2999')).toEqual({ key: 2_999 })
})

test('an entry is read again after ten minutes', () => {
  vi.useFakeTimers({ toFake: ['performance'] })
  try {
    const cache = new TaggedCache<{ name: string }>({ invalidation: new Invalidation(), maxEntries: 10 })
    cache.put('one', { name: 'one' }, () => ['a'], cache.currentVersion())
    vi.advanceTimersByTime(599_000)
    expect(cache.get('one')).toEqual({ name: 'one' })
    vi.advanceTimersByTime(2_000)
    expect(cache.get('one')).toBeUndefined()
  } finally {
    vi.useRealTimers()
  }
})

test('lookups are counted by result', () => {
  const cache = new TaggedCache<object>({ invalidation: new Invalidation(), maxEntries: 10 })
  expect(cache.lookups).toEqual({ hit: 0, miss: 0 })
  cache.get('one')
  cache.put('one', {}, () => [], cache.currentVersion())
  cache.get('one')
  cache.get('one')
  cache.get('two')
  expect(cache.lookups).toEqual({ hit: 2, miss: 2 })
})

test('keys that share a tag go together, also when one of them was dropped or written again before', () => {
  const invalidation = new Invalidation()
  const cache = new TaggedCache<{ key: string }>({ invalidation, maxEntries: 10 })
  const keys = ['one', 'two', 'three']
  const put = (key: string) => cache.put(key, { key }, () => ['shared', key], cache.currentVersion())
  for (const key of keys) put(key)
  cache.delete('one')
  put('two')
  invalidation.apply({ tags: ['shared'] })
  expect(keys.filter((key) => cache.get(key))).toEqual([])

  put('one')
  put('two')
  cache.delete('two')
  cache.delete('unknown')
  invalidation.apply({ tags: ['shared'] })
  expect(cache.get('one')).toBeUndefined()
})

test('ids are split into cached and missing ones, each once and in order', () => {
  const known = new Map([
    [1, 'one'],
    [3, 'three'],
  ])
  const { cached, missing } = splitCached([2, 1, 2, 3, 1, 4], (id) => known.get(id))
  expect([...cached]).toEqual([...known])
  expect(missing).toEqual([2, 4])
  expect(unique(['b', 'a', 'b', 'c', 'a'])).toEqual(['b', 'a', 'c'])
})

test('heavy values take the room of several', () => {
  const options = { invalidation: new Invalidation(), maxEntries: 10 }
  const cache = new TaggedCache<{ weight: number }>(options, ({ weight }) => weight)
  const put = (key: string, weight: number) => cache.put(key, { weight }, () => [key], cache.currentVersion())
  const kept = () => ['a', 'b', 'c', 'd', 'e'].filter((key) => cache.get(key) !== undefined)
  put('a', 4)
  put('b', 4)
  expect(kept()).toEqual(['a', 'b'])
  put('c', 9)
  expect(kept()).toEqual(['c'])
  put('d', 11)
  expect(kept()).toEqual(['c'])
  put('c', 1)
  put('a', 9)
  expect(kept()).toEqual(['a', 'c'])
  cache.delete('a')
  put('e', 9)
  expect(kept()).toEqual(['c', 'e'])
})

test('values that were replaced are freed, also while the cache is full', async () => {
  setFlagsFromString('--expose-gc')
  const collectGarbage = runInNewContext('gc') as () => void
  const caches = [10_000, 1_000].map(
    (maxEntries) => new TaggedCache({ invalidation: new Invalidation(), maxEntries }),
  )
  const replaced: WeakRef<object>[] = []
  for (const cache of caches) {
    const put = (key: number) => {
      const value = { name: String(key) }
      cache.put(String(key), value, () => ['a'], cache.currentVersion())
      return value
    }
    // One more than there is room for, so that the second cache has searched for one to drop.
    for (let key = 0; key <= 1_000; key += 1) replaced.push(new WeakRef(put(key)))
    for (let round = 0; round < 10; round += 1) for (let key = 1_000; key >= 0; key -= 1) put(key)
  }
  // What a reference was made of stays until the turn of the event loop ends.
  await setImmediate()
  collectGarbage()
  expect(replaced.filter((each) => each.deref() !== undefined)).toHaveLength(0)
})
