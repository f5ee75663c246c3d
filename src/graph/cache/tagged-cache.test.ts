import fc from 'fast-check'
import { expect, test } from 'vitest'
import { cacheTag } from './cache-tags.js'
import { Invalidation } from './invalidation.js'
import { TaggedCache } from './tagged-cache.js'

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
