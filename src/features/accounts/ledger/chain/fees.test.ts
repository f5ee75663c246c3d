import fc from 'fast-check'
import { expect, it } from 'vitest'
import { type Fees, offer, raise } from './fees.js'

const gwei = 1_000_000_000n
const amount = fc.bigInt(0n, 200n * gwei)
const price = fc.record({ base: amount, tip: amount })

it('no transaction offers more than is allowed, nor a tip above what it offers', () => {
  fc.assert(
    fc.property(price, amount, (now, bound) => {
      const fees = offer(now, bound)
      if (now.base > bound) expect(fees).toBeNull()
      else {
        expect(fees!.maxFee <= bound && fees!.tip <= fees!.maxFee).toBe(true)
        expect(fees!.maxFee >= now.base).toBe(true)
      }
    }),
  )
})

it('one that takes the place of another offers a tenth more of both, or there is none', () => {
  fc.assert(
    fc.property(price, price, amount, (then, now, bound) => {
      const former = offer(then, bound)
      if (former === null) return
      const next: Fees | null = raise(former, now, bound)
      if (next === null) return
      expect(next.maxFee * 10n >= former.maxFee * 11n && next.tip * 10n >= former.tip * 11n).toBe(true)
      expect(next.maxFee <= bound && next.tip <= next.maxFee).toBe(true)
    }),
  )
})

it('a quiet network is offered twice its base fee', () => {
  expect(offer({ base: gwei, tip: 1n }, 20n * gwei)).toEqual({ maxFee: 2n * gwei + 1n, tip: 1n })
})
