import fc from 'fast-check'
import { type Address, getAddress } from 'viem'
import { beforeAll, describe, expect, it } from 'vitest'
import { contract } from '../../../../scripts/dev-chain.mjs'
import { openMarket } from '../../../../test/chain/market.js'
import { startRpcProxy } from '../../../../test/chain/rpc-proxy.js'
import { startTestChain } from '../../../../test/chain/test-chain.js'
import { createTestDatabase } from '../../../../test/database.js'
import { createTestApi } from '../../../app/testing/test-api.js'
import { MULTICALL_ADDRESS } from '../../../hub/chain/batch-call.js'
import { followTokens } from '../testing/followed-tokens.js'
import { trackPool, trackToken } from '../tracked-tokens.js'

const { db } = await createTestDatabase()
const chain = await startTestChain()
const proxy = await startRpcProxy(chain.url)
const CONFIRMATIONS = 2
const followed = followTokens({ db, chain, confirmations: CONFIRMATIONS, rpcUrls: [proxy.url] })
const other = followTokens({ db, chain, confirmations: CONFIRMATIONS, network: 'optimism' })
const tokenTracking = {
  rpcs: new Map([
    ['base' as const, followed.rpc],
    ['optimism' as const, other.rpc],
  ]),
  maxTrackedTokens: 0,
}
const { get } = await createTestApi({ db, tokenTracking })
const [ann, bob] = [chain.account(1), chain.account(2)]
const bytes = (address: Address) => Buffer.from(address.slice(2), 'hex')
let apple: Address
let usd: Address
let pear: Address

async function settle(): Promise<void> {
  await followed.catchUp()
  await chain.mine(CONFIRMATIONS + 1)
  await followed.catchUp()
}

beforeAll(async () => {
  apple = getAddress(await chain.deployToken('Apple', 'APL', 18))
  usd = getAddress(await chain.deployToken('Dollar', 'USD', 6))
  pear = getAddress(await chain.deployToken('Pear', 'PEAR', 0))
  await trackToken(db, followed.rpc, { address: bytes(usd), trackedBy: 'operator', isDollar: true })
  await trackToken(db, followed.rpc, { address: bytes(apple), trackedBy: 'operator' })
  const market = await openMarket(
    chain,
    'PairV2',
    [
      [apple, 1_000n * 10n ** 18n],
      [usd, 2_000n * 10n ** 6n],
    ],
    [ann, bob],
  )
  await trackPool(db, followed.rpc, bytes(market.pool))
  await chain.send(ann, { contract: 'Token', address: pear, functionName: 'mint', args: [ann.address, 7n] })
  // Known on another network, where nobody indexes its owners.
  await trackToken(db, other.rpc, { address: bytes(pear), trackedBy: 'operator' })
  await settle()
  await market.swap(ann, usd, 500n * 10n ** 6n)
  await settle()
})

describe('onchain/token/balances', () => {
  const balances = async (query: Record<string, string | number>) => {
    const reply = await get('/onchain/token/balances', { address: ann.address, ...query })
    expect([reply.statusCode, reply.body]).toEqual([200, reply.body])
    return reply.json()
  }

  it('lists several networks by value, indexed and from the contract', async () => {
    const { balances: list, next } = await balances({ networks: 'optimism,base' })
    expect(next).toEqual({ cursor: null })
    expect(list.map(({ symbol, network }: { symbol: string; network: string }) => [network, symbol])).toEqual(
      [
        ['base', 'APL'],
        ['base', 'USD'],
        ['optimism', 'PEAR'],
      ],
    )
    expect(list[1]).toEqual({
      address: usd,
      network: 'base',
      name: 'Dollar',
      symbol: 'USD',
      decimals: 6,
      balance: '1500000000',
      balance_usd: '1500',
      price_usd: '1',
      image_url: null,
    })
    expect(list[2]).toMatchObject({ balance: '7', balance_usd: null, price_usd: null })
  })

  it('pages hold every balance once, in the order of one page', async () => {
    const { balances: all } = await balances({ networks: 'base,optimism' })
    for (const limit of [1, 2]) {
      const paged = []
      let cursor: string | null = null
      do {
        const query: Record<string, string | number> = { networks: 'base,optimism', limit }
        const page: { balances: unknown[]; next: { cursor: string | null } } = await balances(
          cursor === null ? query : { ...query, cursor },
        )
        paged.push(...page.balances)
        cursor = page.next.cursor
      } while (cursor !== null)
      expect(paged).toEqual(all)
    }
  })

  it('an address without tokens -> an empty list', async () => {
    const nobody = `0x${'9'.repeat(40)}`
    expect(await balances({ networks: 'base', address: nobody })).toEqual({
      balances: [],
      next: { cursor: null },
    })
  })

  it.each([
    [{ networks: 'arbitrum' }, 501, 'networks'],
    [{ networks: 'base,robinhood' }, 501, 'networks'],
    [{ networks: 'ethereum,optimism,base,arbitrum,robinhood' }, 501, 'networks'],
    [{ networks: 'base,venus' }, 400, 'networks'],
    [{ networks: 'base', address: '0x1' }, 400, 'address'],
    [{ networks: 'base', cursor: 'x' }, 400, 'cursor'],
    [{ address: ann.address }, 400, 'networks'],
  ])('%j -> %d for %s', async (query, status, property) => {
    const reply = await get('/onchain/token/balances', { address: ann.address, ...query })
    expect([reply.statusCode, reply.json().property]).toEqual([status, property])
  })
})

describe('onchain/token/metadata', () => {
  it('reads the contract, and the market of an indexed token', async () => {
    const reply = await get('/onchain/token/metadata', { network: 'base', address: apple })
    expect(reply.statusCode, reply.body).toBe(200)
    const { token } = reply.json()
    expect(token).toMatchObject({
      address: apple,
      network: 'base',
      name: 'Apple',
      symbol: 'APL',
      decimals: 18,
      total_supply: String(3_000n * 10n ** 18n),
      image_url: null,
      description: null,
      price_source: 'onchain',
      price_change_6h_pct: null,
      price_change_24h_pct: null,
      volume_6h: '500',
      volume_24h: '500',
      market_cap: null,
      holder_count: 3,
    })
    // 500 dollars for 200 of the 1,000 apples of the pool; 2,500 dollars and 800 apples are left in it.
    expect(Number(token.price_usd)).toBeCloseTo(2.5)
    expect(Number(token.fdv)).toBeCloseTo(7_500)
    expect(Number(token.liquidity)).toBeCloseTo(4_500)
    expect(token.price_updated_at).toBeGreaterThan(1_000_000_000_000)
  })

  it('changes compare with the last trade before the window', async () => {
    const [{ id } = { id: 0 }] = await db<{ id: number }[]>`select id from tokens.tokens where symbol = 'APL'`
    const day = 86_400
    await db`
      insert into tokens.trades (network, block, log_index, traded_at, transaction_hash, pool, protocol_family,
        protocol_version, trader, sold_id, sold, bought_id, bought, usd)
      select network, 1, earlier.log_index, traded_at - ${2 * day}::bigint, '\\x00', pool, protocol_family, protocol_version, trader,
        sold_id, sold * part, bought_id, bought * part, case when part = 1 then usd / 2 else 1e-6 end
      from tokens.trades
      -- The second one is dust.
      cross join (values (0, 1), (1, 1e-12)) earlier (log_index, part)
      where bought_id = ${id}`
    const { token } = (await get('/onchain/token/metadata', { network: 'base', address: apple })).json()
    expect(token.price_change_6h_pct).toBeCloseTo(100)
    expect(token.price_change_24h_pct).toBeCloseTo(100)
    expect(token.volume_24h).toBe('500')
  })

  it('an unknown token -> its contract, and null for its market', async () => {
    const { token } = (await get('/onchain/token/metadata', { network: 'base', address: pear })).json()
    expect(token).toMatchObject({ symbol: 'PEAR', total_supply: '7', decimals: 0 })
    const { price_usd, price_source, price_updated_at, fdv, volume_24h, liquidity, holder_count } = token
    expect([price_usd, price_source, price_updated_at, fdv, volume_24h, liquidity, holder_count]).toEqual(
      Array(7).fill(null),
    )
  })

  it.each([
    [{ network: 'base', address: ann.address }, 404],
    [{ network: 'ethereum', address: ann.address }, 501],
    [{ network: 'base' }, 400],
  ])('%j -> %d', async (query, status) => {
    expect((await get('/onchain/token/metadata', query)).statusCode).toBe(status)
  })

  it('a network that is not followed is named by the parameter that has it', async () => {
    const one = await get('/onchain/token/metadata', { network: 'ethereum', address: ann.address })
    expect(one.json().property).toBe('network')
    for (const networks of ['ethereum', 'robinhood']) {
      const batch = await get('/onchain/token/metadata/batch', { networks, addresses: ann.address })
      expect(batch.json()).toMatchObject({ status: 501, property: 'networks' })
    }
  })

  it('an RPC that does not answer -> 502', async () => {
    proxy.faults = { stopped: true }
    expect((await get('/onchain/token/metadata', { network: 'base', address: pear })).statusCode).toBe(502)
    proxy.faults = {}
  })
})

describe('onchain/token/metadata/batch', () => {
  const symbolsOf = async (pairs: readonly (readonly [string, string])[]) => {
    const reply = await get('/onchain/token/metadata/batch', {
      networks: pairs.map(([network]) => network).join(','),
      addresses: pairs.map(([, address]) => address).join(','),
    })
    expect(reply.statusCode, reply.body).toBe(200)
    return reply
      .json()
      .tokens.map(
        (token: { network: string; symbol: string } | null) => token && [token.network, token.symbol],
      )
  }

  it.each(['without', 'with'])(
    '%s Multicall3: keeps order and repetition; null for no token',
    async (multicall) => {
      if (multicall === 'with') {
        await chain.client.setCode({
          address: MULTICALL_ADDRESS,
          bytecode: contract('Multicall').deployedBytecode,
        })
      }
      const known: (readonly [string, string, string | null])[] = [
        ['base', apple, 'APL'],
        ['optimism', apple, 'APL'],
        ['base', usd, 'USD'],
        ['base', ann.address, null],
        ['optimism', chain.addresses.idRegistry, null],
      ]
      await fc.assert(
        fc.asyncProperty(
          fc.array(fc.constantFrom(...known), { minLength: 1, maxLength: 12 }),
          async (pairs) => {
            expect(await symbolsOf(pairs.map(([network, address]) => [network, address]))).toEqual(
              pairs.map(([network, , symbol]) => symbol && [network, symbol]),
            )
          },
        ),
        { numRuns: 10 },
      )
    },
  )

  it('lists of different lengths -> 400 that names addresses', async () => {
    const reply = await get('/onchain/token/metadata/batch', {
      networks: 'base',
      addresses: `${apple},${usd}`,
    })
    expect([reply.statusCode, reply.json().property]).toEqual([400, 'addresses'])
  })
})
