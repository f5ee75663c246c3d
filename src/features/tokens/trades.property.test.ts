import fc from 'fast-check'
import { expect, it } from 'vitest'
import { type Amount, type Price, valueTrade } from './trades.js'

const DOLLAR = 0
const dollar: Price = { usd: 1, rank: 0, pricedAt: null }
const token = fc.integer({ min: 0, max: 4 })
const amount = fc.double({ min: 0.001, max: 1e9, noNaN: true })
const trade = fc
  .record({ sold: token, soldAmount: amount, bought: token, boughtAmount: amount })
  .filter(({ sold, bought }) => sold !== bought)

/** An amount of a token with six decimals. */
const of = (tokenId: number, amount: number): Amount => ({
  tokenId,
  amount,
  smallestUnits: BigInt(Math.round(amount * 1e6)),
})

it("valueTrade: a trade against a dollar token sets the other token's price", () => {
  const prices = new Map([[DOLLAR, dollar]])
  expect(valueTrade(prices, of(DOLLAR, 30), of(1, 10), 100)).toBe(30)
  expect(prices.get(1)).toEqual({ usd: 3, rank: 1, pricedAt: 100 })
  expect(valueTrade(prices, of(1, 10), of(DOLLAR, 40), 200)).toBe(40)
  expect(prices.get(1)).toEqual({ usd: 4, rank: 1, pricedAt: 200 })
  expect(valueTrade(prices, of(2, 8), of(1, 2), 300)).toBe(8)
  expect(prices.get(2)).toEqual({ usd: 1, rank: 2, pricedAt: 300 })
  // The trade is valued by the first, whose price it does not set.
  expect(prices.get(1)).toMatchObject({ pricedAt: 200 })
  expect(valueTrade(prices, of(3, 8), of(4, 2), 400)).toBeNull()
})

it('valueTrade: dollars stay at 1, and no rank grows', () => {
  fc.assert(
    fc.property(fc.array(trade, { maxLength: 60 }), (trades) => {
      const prices = new Map([[DOLLAR, dollar]])
      for (const { sold, soldAmount, bought, boughtAmount } of trades) {
        const before = new Map(prices)
        const usd = valueTrade(prices, of(sold, soldAmount), of(bought, boughtAmount), 100)
        expect(usd === null).toBe(!before.has(sold) && !before.has(bought))
        for (const [id, { rank, usd: price }] of prices) {
          expect(rank).toBeLessThanOrEqual(before.get(id)?.rank ?? rank)
          expect(price).toBeGreaterThan(0)
        }
        expect(prices.get(DOLLAR)).toEqual(dollar)
      }
    }),
  )
})
