import type { Account, Address } from 'viem'
import { beforeAll, expect, it } from 'vitest'
import { type Market, openMarket } from '../../../../test/chain/market.js'
import { startTestChain } from '../../../../test/chain/test-chain.js'
import { createTestDatabase } from '../../../../test/database.js'
import { createTestHub } from '../../../../test/hub.js'
import { TestUser } from '../../../../test/network.js'
import { createTestApi } from '../../../app/testing/test-api.js'
import { Hydrator } from '../../../graph/cache/hydrator.js'
import { followTokens } from '../testing/followed-tokens.js'
import { trackToken } from '../tracked-tokens.js'

const { db } = await createTestDatabase()
const hub = await createTestHub(db)
const chain = await startTestChain()
const CONFIRMATIONS = 4
const followed = followTokens({ db, chain, confirmations: CONFIRMATIONS })
const { get } = await createTestApi({
  db,
  hub,
  tokenTracking: { rpcs: new Map([['base', followed.rpc]]), maxTrackedTokens: 0 },
})
const [ann, bob, nobody] = [chain.account(1), chain.account(2), chain.account(3)]
/** In units of tokens with 18 and 6 decimals. */
const [ether, dollars] = [10n ** 18n, 10n ** 6n]
let apple: Address
let wrapped: Address
let usd: Address
let plum: Address
let market: Market
let orchard: Market

interface TradeReply {
  readonly trader: { readonly fid: number }
  readonly pool: { readonly protocol_version: string }
  readonly transaction: {
    readonly hash: string
    readonly net_transfer: Record<'sending_fungible' | 'receiving_fungible', BalanceReply>
  }
}

interface BalanceReply {
  readonly token: { readonly symbol: string }
  readonly balance: { readonly in_token: string; readonly in_usd: number | null }
}

async function tradesOf(token: Address, query: Record<string, string | number> = {}): Promise<TradeReply[]> {
  const reply = await get('fungible/trades', { network: 'base', address: token, ...query })
  expect([reply.statusCode, reply.body]).toEqual([200, reply.body])
  return reply.json().trades
}

async function registerUser(fid: number, { address }: Account): Promise<void> {
  const custody = Buffer.from(address.slice(2), 'hex')
  await hub.submitOnChainEvents(Object.assign(new TestUser(fid), { custody }).onChain())
}

beforeAll(async () => {
  await registerUser(1, ann)
  await registerUser(2, bob)
  apple = await chain.deployToken('Apple', 'APL', 18)
  wrapped = await chain.deployToken('Wrapped', 'WRP', 18)
  usd = await chain.deployToken('Dollar', 'USD', 6)
  plum = await chain.deployToken('Plum', 'PLUM', 18)
  const traders = [ann, bob, nobody]
  const exchange = [
    [wrapped, 1_000n * ether],
    [usd, 2_000_000n * dollars],
  ] as const
  market = await openMarket(chain, 'PoolV3', exchange, traders)
  const fruits = [
    [apple, 1_000_000n * ether],
    [wrapped, 1_000n * ether],
  ] as const
  orchard = await openMarket(chain, 'PairV2', fruits, traders)
  await trackToken(db, followed.rpc, {
    address: Buffer.from(usd.slice(2), 'hex'),
    trackedBy: 'operator',
    isDollar: true,
  })
  await followed.watch(wrapped, [market.pool])
  await followed.watch(apple, [orchard.pool])
  await followed.catchUp()
})

it('swaps of users are trades with amounts and value', async () => {
  await orchard.swap(bob, wrapped, ether)
  await followed.catchUp()
  const [unpriced] = await tradesOf(apple)
  expect(unpriced!.transaction.net_transfer.sending_fungible.balance).toEqual({ in_token: '1', in_usd: null })

  const hash = await market.swap(ann, usd, 2_000n * dollars)
  await market.swap(nobody, usd, 1n * dollars)
  await followed.catchUp()
  const [trade, ...extraFields] = await tradesOf(wrapped, { min_amount_usd: 1 })
  expect(extraFields).toEqual([])
  expect(trade).toMatchObject({
    object: 'trade',
    trader: { fid: 1 },
    pool: { object: 'pool', protocol_family: 'uniswap', protocol_version: 'v3' },
    transaction: {
      hash,
      network: { object: 'network', name: 'base' },
      net_transfer: {
        sending_fungible: {
          token: { symbol: 'USD', decimals: 6 },
          balance: { in_token: '2000', in_usd: 2000 },
        },
        receiving_fungible: {
          token: { symbol: 'WRP' },
          balance: { in_token: '0.999000999000999', in_usd: 2000 },
        },
      },
    },
  })

  // By the price that the wrapped token has now, since no apple was ever traded for a dollar.
  await orchard.swap(bob, wrapped, ether)
  await followed.catchUp()
  const [priced] = await tradesOf(apple)
  expect(priced!.pool.protocol_version).toBe('v2')
  expect(priced!.transaction.net_transfer.sending_fungible.balance.in_usd).toBeCloseTo(2_004, 0)
})

it('time_window and min_amount_usd narrow the trades', async () => {
  expect(await tradesOf(apple, { min_amount_usd: 1_000 })).toHaveLength(1)
  expect(await tradesOf(apple, { time_window: '1h' })).toHaveLength(2)
  await db`update tokens.trades set traded_at = traded_at - 7200 where usd is null`
  expect(await tradesOf(apple, { time_window: '1h' })).toHaveLength(1)
  expect(await tradesOf(apple, { time_window: '6h' })).toHaveLength(2)
  // No trade is as new as the window.
  await db`update tokens.trades set traded_at = traded_at - 7200 where usd is not null`
  expect(await tradesOf(apple, { time_window: '1h' })).toEqual([])
  expect(await tradesOf(apple, { time_window: '6h' })).toHaveLength(2)
  await db`update tokens.trades set traded_at = traded_at + 7200 where usd is not null`
  // The server does not know this token.
  expect(await tradesOf(plum)).toEqual([])
  expect((await get('fungible/trades', { network: 'arbitrum', address: apple })).statusCode).toBe(501)
})

it('a window that begins with blocks of one second has the trades of all of them', async () => {
  const expected = await tradesOf(apple)
  const before = await db`select block, log_index, traded_at from tokens.trades`
  await db`update tokens.trades set traded_at = (select min(traded_at) from tokens.trades)`
  expect(await tradesOf(apple)).toHaveLength(expected.length)
  for (const { block, log_index, traded_at } of before) {
    await db`
      update tokens.trades set traded_at = ${traded_at}::bigint where block = ${block} and log_index = ${log_index}`
  }
})

it('trending: by number of traders, without dollar tokens', async () => {
  const reply = await get('fungible/trending', { network: 'base', time_window: '1h' })
  expect(reply.statusCode).toBe(200)
  const { trending } = reply.json()
  expect(trending.map(({ fungible }: { fungible: { symbol: string } }) => fungible.symbol)).toEqual([
    'WRP',
    'APL',
  ])
  expect(trending[0]).toMatchObject({
    object: 'trending_fungible',
    fungible: { network: 'base', name: 'Wrapped' },
  })
  expect(Number(trending[0].fungible.price.in_usd)).toBeCloseTo(2_004, 0)
  expect((await get('fungible/trending', { network: 'base', time_window: '2h' })).statusCode).toBe(400)
  for (const operation of ['trending', 'trades']) {
    const tokenQuery = { network: 'robinhood', address: apple }
    expect((await get(`fungible/${operation}`, tokenQuery)).statusCode).toBe(501)
    expect((await get(`fungible/${operation}`, { ...tokenQuery, network: 'elsewhere' })).statusCode).toBe(400)
  }
})

it('trending: the ranking of a window is computed once in half a minute', async () => {
  let laterMs = 0
  const tokenTracking = { rpcs: new Map([['base', followed.rpc]] as const), maxTrackedTokens: 0 }
  const clock = () => Date.now() + laterMs
  const hydrator = new Hydrator({ db, clock, locationOf: () => null, maxViews: 100 })
  const api = await createTestApi({ db, clock, hydrator, tokenTracking })
  const symbols = async () => {
    const reply = await api.get('fungible/trending', { network: 'base', time_window: '6h' })
    return reply.json().trending.map(({ fungible }: { fungible: { symbol: string } }) => fungible.symbol)
  }
  const ranking = await symbols()
  expect(ranking).toContain('APL')
  await db`update tokens.tokens set is_dollar = true where symbol = 'APL'`
  expect(await symbols()).toEqual(ranking)
  laterMs = 31_000
  expect(await symbols()).not.toContain('APL')
  await db`update tokens.tokens set is_dollar = false where symbol = 'APL'`
})

it('a reorganized trade disappears with its price', async () => {
  const priceOf = async () => {
    const [row] = await db<
      { price: number }[]
    >`select price_usd as price from tokens.tokens where symbol = 'WRP'`
    return row!.price
  }
  const before = await priceOf()
  const count = (await tradesOf(wrapped)).length
  await chain.mine(CONFIRMATIONS)
  await followed.catchUp()
  await market.swap(ann, usd, 900_000n * dollars)
  await followed.catchUp()
  expect(await tradesOf(wrapped)).toHaveLength(count + 1)
  expect(await priceOf()).toBeGreaterThan(before * 1.2)
  await chain.reorg(1)
  await chain.mine(1)
  await followed.catchUp()
  expect(await tradesOf(wrapped)).toHaveLength(count)
  expect(await priceOf()).toBeCloseTo(before, 6)
})
