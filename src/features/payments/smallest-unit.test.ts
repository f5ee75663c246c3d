import fc from 'fast-check'
import { formatUnits } from 'viem'
import { expect, it } from 'vitest'
import { PlazaError } from '../../platform/errors.js'
import { toSmallestUnit } from './smallest-unit.js'

it.each([
  [1, 6, 1_000_000n],
  [1.5, 0, null],
  [0.000001, 6, 1n],
  [1.5e-7, 8, 15n],
  [1.5e-7, 7, null],
  [1.234567890123e-7, 18, null],
  [1.234567890123e-7, 19, 1_234_567_890_123n],
  [1.2345678901234567e-8, 24, 12_345_678_901_234_567n],
  [1e-30, 18, null],
  [1e21, 2, 10n ** 23n],
  [1e60, 18, null],
])('%d with %d decimals -> %s', (amount, decimals, raw) => {
  const convert = () => toSmallestUnit(amount, decimals, 'amount')
  if (raw === null) expect(convert).toThrow(PlazaError)
  else expect(convert()).toBe(raw)
})

it('an amount is exact, or refused', () => {
  fc.assert(
    fc.property(fc.double({ min: 1e-12, max: 1e30, noNaN: true }), fc.nat(36), (amount, decimals) => {
      try {
        expect(Number(formatUnits(toSmallestUnit(amount, decimals, 'amount'), decimals))).toBe(amount)
      } catch (error) {
        expect(error).toBeInstanceOf(PlazaError)
      }
    }),
  )
})
