import { Readable } from 'node:stream'
import { expect, it } from 'vitest'
import { openMarket } from '../../test/chain/market.js'
import { startTestChain } from '../../test/chain/test-chain.js'
import { createTestDatabase } from '../../test/database.js'
import { followTokens } from '../features/tokens/testing/followed-tokens.js'
import { createProgram } from './program.js'

const { db, url } = await createTestDatabase()
const chain = await startTestChain()
const followed = followTokens({ db, chain, confirmations: 1 })
const env = { DATABASE_URL: url, CHAIN_BASE_RPC_URLS: chain.url, CHAIN_IDS: 'base=10' }

/** The lines that a command prints, up to where it fails. */
async function plaza(...args: string[]): Promise<{ lines: string[]; failure: string | null }> {
  const lines: string[] = []
  const program = await createProgram({
    env,
    print: (line) => lines.push(line),
    progress: process.stderr,
    stdin: Readable.from('') as typeof process.stdin,
    stdout: process.stdout,
    onStopSignal: () => {},
    onDatabaseStop: () => () => {},
  })
  const failure = await program.parseAsync(['node', 'plaza', 'token', ...args]).then(
    () => null,
    (error: Error) => error.message,
  )
  return { lines, failure }
}

it('watches tokens and pools, shows their progress, and stops tracking them', async () => {
  const apple = await chain.deployToken('Apple', 'APL', 18)
  const usd = await chain.deployToken('Dollar', 'USD', 6)
  const reserves = [
    [apple, 1_000n],
    [usd, 1_000n],
  ] as const
  const { pool } = await openMarket(chain, 'PairV2', reserves, [])
  expect(await plaza('watch', 'base', usd, '--dollar', '--from-block', '1')).toEqual({
    lines: ['USD on base: balances are tracked'],
    failure: null,
  })
  const { lines, failure } = await plaza('watch', 'base', apple, '--pool', pool)
  expect([lines[0], failure]).toEqual(['APL on base: balances are tracked', null])
  expect(lines[1]).toMatch(/^(APL\/USD|USD\/APL): swaps are recorded$/)
  const states = async () => (await plaza('list')).lines.slice(1).map((line) => line.split(/ {2,}/).slice(2))
  expect(await states()).toEqual([
    ['USD', 'yes', 'operator', '0 %'],
    ['APL', 'no', 'operator', '0 %'],
  ])
  await followed.catchUp()
  await chain.mine(3)
  await followed.catchUp()
  expect(await states()).toEqual([
    ['USD', 'yes', 'operator', 'ready'],
    ['APL', 'no', 'operator', 'ready'],
  ])
  expect(JSON.parse((await plaza('list', '--json')).lines[1]!)).toMatchObject({
    network: 'base',
    symbol: 'APL',
    is_dollar: false,
    tracked_by: 'operator',
    ready: true,
    backfill_progress: 1,
  })
  expect(await plaza('unwatch', 'base', apple)).toMatchObject({ lines: ['no longer tracked'] })
  expect(await states()).toEqual([['USD', 'yes', 'operator', 'ready']])
})

it('--dollar ends with unwatch, but for the tokens that are worth a dollar anyway', async () => {
  const peach = await chain.deployToken('Peach', 'PCH', 18)
  const usdc = Buffer.from('833589fcd6edb6e08f4c7c32d4f71b54bda02913', 'hex')
  await db`
    insert into tokens.tokens (network, address, name, symbol, decimals, tracked_by, is_dollar, price_usd, price_rank)
    values ('base', ${usdc}, 'USD Coin', 'USDC', 6, 'operator', true, 1, 0)`
  await plaza('watch', 'base', peach, '--dollar')
  for (const address of [peach, `0x${usdc.toString('hex')}`]) await plaza('unwatch', 'base', address)
  const worth = () => db`
    select symbol, is_dollar, price_usd, price_rank from tokens.tokens where symbol in ('USDC', 'PCH') order by symbol`
  const nothing = { symbol: 'PCH', is_dollar: false, price_usd: null, price_rank: null }
  const dollar = { symbol: 'USDC', is_dollar: true, price_usd: 1, price_rank: 0 }
  expect(await worth()).toEqual([nothing, dollar])
  await plaza('watch', 'base', peach)
  expect(await worth()).toEqual([nothing, dollar])
  // The price of trades stays.
  await db`update tokens.tokens set price_usd = 7, price_rank = 1, priced_at = 5 where symbol = 'PCH'`
  await plaza('unwatch', 'base', peach)
  expect(await worth()).toMatchObject([{ is_dollar: false, price_usd: 7, price_rank: 1 }, dollar])
})

it('reports invalid input', async () => {
  const nobody = `0x${'77'.repeat(20)}`
  expect((await plaza('watch', 'base', nobody)).failure).toContain('is not an ERC-20 token on base')
  expect((await plaza('watch', 'base', 'apple')).failure).toContain('must be 20 bytes in hex')
  expect((await plaza('watch', 'moon', nobody)).failure).toContain('must be one of ethereum, optimism')
  expect((await plaza('watch', 'ethereum', nobody)).failure).toContain('CHAIN_ETHEREUM_RPC_URLS is not set')
  expect((await plaza('unwatch', 'base', nobody)).failure).toBe('this token is not tracked')
  const usd = await chain.deployToken('Dollar', 'USD', 6)
  expect((await plaza('watch', 'base', usd, '--pool', nobody)).failure).toContain('is not a pool on base')
})
