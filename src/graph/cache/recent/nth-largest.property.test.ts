import fc from 'fast-check'
import { expect, test } from 'vitest'
import { nthLargest } from './nth-largest.js'

test('the n-th largest number is the one that a sorted list has there, or 0', () => {
  const value = fc.oneof(fc.nat(2 ** 30 - 1), fc.constantFrom(0, 1023, 1024, 1025, 2 ** 20, 2 ** 30 - 1))
  fc.assert(
    fc.property(fc.array(value, { maxLength: 200 }), fc.integer({ min: 1, max: 210 }), (values, n) => {
      const sorted = values.toSorted((a, b) => b - a)
      expect(nthLargest(Uint32Array.from(values), n)).toBe(sorted[n - 1] ?? 0)
    }),
  )
})
