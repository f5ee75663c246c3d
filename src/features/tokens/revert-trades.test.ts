import type { Hex } from 'viem'
import { beforeEach, expect, it } from 'vitest'
import { createTestDatabase } from '../../../test/database.js'
import { revertTrades } from './revert-trades.js'
import { insertTrades, type LocatedSwap } from './trades.js'

const { db } = await createTestDatabase()
const names = ['dollar', 'wrapped', 'apple', 'plum', 'fig'] as const
type Name = (typeof names)[number]
let ids: Record<Name, number>
let trades = 0

beforeEach(async () => {
  await db`truncate tokens.tokens restart identity cascade`
  const rows = await db<{ id: number; name: Name }[]>`
    insert into tokens.tokens (network, address, name, symbol, decimals, is_dollar, price_usd, price_rank)
    select 'base', decode(lpad(place::text, 40, '0'), 'hex'), name, name, 6, name = 'dollar',
      case when name = 'dollar' then 1 end, case when name = 'dollar' then 0 end
    from unnest(${db.types.texts([...names])}::text[]) with ordinality n (name, place)
    returning id, name`
  ids = Object.fromEntries(rows.map(({ id, name }) => [name, id])) as typeof ids
})

/** Stores trades, each of an amount of one token for one of another. */
async function trade(
  block: number,
  ...swaps: readonly (readonly [sold: Name, amount: number, bought: Name, amount: number])[]
): Promise<void> {
  const located = swaps.map(([sold, soldAmount, bought, boughtAmount]): LocatedSwap => {
    trades += 1
    return {
      protocolFamily: 'uniswap',
      protocolVersion: 'v3',
      soldFirst: true,
      sold: BigInt(Math.round(soldAmount * 1e6)),
      bought: BigInt(Math.round(boughtAmount * 1e6)),
      block,
      logIndex: trades,
      tradedAt: block,
      transactionHash: `0x${'1'.repeat(64)}` as Hex,
      pool: `0x${'2'.repeat(40)}`,
      trader: `0x${'3'.repeat(40)}`,
      soldId: ids[sold],
      boughtId: ids[bought],
    }
  })
  await db.begin((transaction) => insertTrades(transaction, 'base', located))
}

const revert = (fromBlock: number) => db.begin((transaction) => revertTrades(transaction, 'base', fromBlock))

/** The price and rank of each token. */
async function prices(): Promise<Partial<Record<Name, readonly [usd: number | null, rank: number | null]>>> {
  const rows = await db<{ name: Name; usd: number | null; rank: number | null }[]>`
    select name, price_usd as usd, price_rank as rank from tokens.tokens order by id`
  return Object.fromEntries(rows.map(({ name, usd, rank }) => [name, [usd, rank]]))
}

it('revertTrades: a token has its rank of before, and its price follows its trades', async () => {
  await trade(1, ['dollar', 2_000, 'wrapped', 1], ['wrapped', 1, 'apple', 1_000])
  const before = await prices()
  expect(before).toMatchObject({ wrapped: [2_000, 1], apple: [2, 2] })
  await trade(2, ['dollar', 3, 'apple', 1])
  expect(await prices()).toMatchObject({ apple: [3, 1] })
  await revert(2)
  expect(await prices()).toEqual(before)
  await trade(2, ['wrapped', 1, 'apple', 500])
  expect(await prices()).toMatchObject({ wrapped: [2_000, 1], apple: [4, 2] })
})

it('revertTrades: so does a token that was priced by it', async () => {
  await trade(1, ['dollar', 2_000, 'wrapped', 1], ['wrapped', 1, 'apple', 1_000], ['apple', 1, 'plum', 2])
  const before = await prices()
  expect(before).toMatchObject({ apple: [2, 2], plum: [1, 3] })
  await trade(2, ['dollar', 3, 'apple', 1], ['apple', 1, 'plum', 3])
  expect(await prices()).toMatchObject({ apple: [3, 1], plum: [1, 2] })
  await revert(2)
  expect(await prices()).toEqual(before)
})

it('revertTrades: a token whose trades all disappear has no price', async () => {
  await trade(1, ['dollar', 2_000, 'wrapped', 1])
  await trade(2, ['wrapped', 1, 'apple', 1_000])
  await revert(2)
  expect(await prices()).toMatchObject({ wrapped: [2_000, 1], apple: [null, null] })
})

it('revertTrades: no token comes nearer, though what it was traded for has', async () => {
  await trade(1, ['dollar', 2_000, 'wrapped', 1], ['wrapped', 1, 'apple', 1_000], ['apple', 1, 'plum', 2])
  await trade(2, ['dollar', 3, 'apple', 1])
  const before = await prices()
  expect(before).toMatchObject({ apple: [3, 1], plum: [1, 3] })
  await trade(3, ['plum', 1, 'fig', 1])
  await revert(3)
  expect(await prices()).toEqual(before)
})

/** The smallest unit of each token. */
const UNIT = 1e-6

it('a trade of dust sets no price, and brings no token nearer to a dollar', async () => {
  await trade(1, ['dollar', 2_000, 'wrapped', 1], ['wrapped', 1, 'apple', 1_000])
  const before = await prices()
  await trade(
    2,
    ['dollar', 0.99, 'wrapped', UNIT * 100],
    ['apple', UNIT, 'dollar', 1],
    ['dollar', UNIT, 'plum', UNIT],
  )
  expect(await prices()).toEqual({ ...before, plum: [null, null] })
  await trade(2, ['dollar', 1, 'plum', UNIT * 99])
  expect(await prices()).toMatchObject({ plum: [null, null] })
  await trade(3, ['dollar', 1, 'plum', UNIT * 100])
  expect(await prices()).toMatchObject({ plum: [10_000, 1] })
})

it('revertTrades: price and rank do not follow trades of dust', async () => {
  await trade(1, ['dollar', 2_000, 'wrapped', 1], ['wrapped', 1, 'apple', 1_000])
  const before = await prices()
  await trade(2, ['dollar', UNIT, 'apple', UNIT], ['dollar', 1, 'wrapped', UNIT])
  await trade(3, ['dollar', 3, 'apple', 1], ['dollar', 3_000, 'wrapped', 1])
  expect(await prices()).toMatchObject({ wrapped: [3_000, 1], apple: [3, 1] })
  await revert(3)
  expect(await prices()).toEqual(before)
})

it('the time of a price is that of the trade that set it, also after a revert', async () => {
  const times = async () => {
    const rows = await db<{ name: Name; pricedAt: number | null }[]>`
      select name, priced_at as "pricedAt" from tokens.tokens where price_usd is not null order by id`
    return Object.fromEntries(rows.map(({ name, pricedAt }) => [name, pricedAt]))
  }
  await trade(1, ['dollar', 2_000, 'wrapped', 1])
  await trade(2, ['wrapped', 1, 'apple', 1_000])
  expect(await times()).toEqual({ dollar: null, wrapped: 1, apple: 2 })
  await trade(3, ['dollar', 3, 'apple', 1])
  expect(await times()).toEqual({ dollar: null, wrapped: 1, apple: 3 })
  await revert(3)
  expect(await times()).toEqual({ dollar: null, wrapped: 1, apple: 2 })
})
