import fc from 'fast-check'
import { expect, test } from 'vitest'
import { FidIndex } from './fid-index.js'

test('FidIndex: every fid has its number in ascending order, others have none', () => {
  const fids = fc.uniqueArray(fc.maxSafeNat(), { maxLength: 200 })
  fc.assert(
    fc.property(fids, fc.maxSafeNat(), (known, other) => {
      const index = new FidIndex(known)
      const ascending = [...known].sort((a, b) => a - b)
      expect(ascending.map((fid) => index.indexOf(fid))).toEqual([...ascending.keys()])
      if (!known.includes(other)) expect(index.indexOf(other)).toBe(-1)
    }),
  )
})

test('FidIndex: separates fids with equal low bits', () => {
  const fids = Array.from({ length: 100 }, (_, high) => high * 2 ** 32 + 7)
  const index = new FidIndex(fids)
  expect(fids.map((fid) => index.indexOf(fid))).toEqual([...fids.keys()])
})
