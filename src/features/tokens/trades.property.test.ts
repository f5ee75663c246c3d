import fc from 'fast-check'
import { expect, it } from 'vitest'
import { type Price, valueTrade } from './trades.js'

const DOLLAR = 0
const dollar: Price = { usd: 1, rank: 0, pricedAt: null }
const token = fc.integer({ min: 0, max: 4 })
const amount = fc.double({ min: 0.001, max: 1e9, noNaN: true })
const trade = fc
  .record({ sold: token, soldAmount: amount, bought: token, boughtAmount: amount })
  .filter(({ sold, bought }) => sold !== bought)

it("valueTrade: a trade against a dollar token sets the other token's price", () => {
  const prices = new Map([[DOLLAR, dollar]])
  expect(valueTrade(prices, { tokenId: DOLLAR, amount: 30 }, { tokenId: 1, amount: 10 }, 100)).toBe(30)
  expect(prices.get(1)).toEqual({ usd: 3, rank: 1, pricedAt: 100 })
  expect(valueTrade(prices, { tokenId: 1, amount: 10 }, { tokenId: DOLLAR, amount: 40 }, 200)).toBe(40)
  expect(prices.get(1)).toEqual({ usd: 4, rank: 1, pricedAt: 200 })
  expect(valueTrade(prices, { tokenId: 2, amount: 8 }, { tokenId: 1, amount: 2 }, 300)).toBe(8)
  expect(prices.get(2)).toEqual({ usd: 1, rank: 2, pricedAt: 300 })
  // The trade is valued by the first, whose price it does not set.
  expect(prices.get(1)).toMatchObject({ pricedAt: 200 })
  expect(valueTrade(prices, { tokenId: 3, amount: 8 }, { tokenId: 4, amount: 2 }, 400)).toBeNull()
})

it('valueTrade: dollars stay at 1, and no rank grows', () => {
  fc.assert(
    fc.property(fc.array(trade, { maxLength: 60 }), (trades) => {
      const prices = new Map([[DOLLAR, dollar]])
      for (const { sold, soldAmount, bought, boughtAmount } of trades) {
        const before = new Map(prices)
        const usd = valueTrade(
          prices,
          { tokenId: sold, amount: soldAmount },
          { tokenId: bought, amount: boughtAmount },
          100,
        )
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
