import fc from 'fast-check'
import { expect, it } from 'vitest'
import { type Fees, gasTagOf, newFees, purposeTag, replacementFees, tagGas } from './wallet-transaction.js'

const gwei = 1_000_000_000n
const amount = fc.bigInt(0n, 200n * gwei)
const price = fc.record({ base: amount, tip: amount })

it('newFees: never exceeds the allowed fee, and the tip never exceeds the fee', () => {
  fc.assert(
    fc.property(price, amount, (now, maxAllowed) => {
      const fees = newFees(now, maxAllowed)
      if (now.base > maxAllowed) expect(fees).toBeNull()
      else {
        expect(fees!.maxFee <= maxAllowed && fees!.tip <= fees!.maxFee).toBe(true)
        expect(fees!.maxFee >= now.base).toBe(true)
      }
    }),
  )
})

it('replacementFees: a tenth more of both, or none', () => {
  fc.assert(
    fc.property(price, price, amount, (then, now, maxAllowed) => {
      const previous = newFees(then, maxAllowed)
      if (previous === null) return
      const next: Fees | null = replacementFees(previous, now, maxAllowed)
      if (next === null) return
      expect(next.maxFee * 10n >= previous.maxFee * 11n && next.tip * 10n >= previous.tip * 11n).toBe(true)
      expect(next.maxFee <= maxAllowed && next.tip <= next.maxFee).toBe(true)
    }),
  )
})

it('newFees: twice the base fee on a quiet network', () => {
  expect(newFees({ base: gwei, tip: 1n }, 20n * gwei)).toEqual({ maxFee: 2n * gwei + 1n, tip: 1n })
})

it('tagGas: the tag of the purpose, from what the call needs to its limit', () => {
  fc.assert(
    fc.property(fc.string(), fc.bigInt(21_000n, 13_000_000n), (purpose, estimate) => {
      const limit = (estimate * 12n) / 10n
      const gas = tagGas(limit, purpose, estimate)
      expect(gas >= estimate && gas <= limit).toBe(true)
      expect(gasTagOf({ gas })).toBe(purposeTag(purpose))
    }),
  )
  expect(tagGas(21_010n, 'no room', 21_000n)).toBe(21_010n)
})
