import fc from 'fast-check'
import { type Address, parseEventLogs } from 'viem'
import { beforeAll, expect, it } from 'vitest'
import { contract } from '../../../scripts/dev-chain.mjs'
import { startRpcProxy } from '../../../test/chain/rpc-proxy.js'
import { startTestChain } from '../../../test/chain/test-chain.js'
import { createTestDatabase } from '../../../test/database.js'
import { followTokens } from './testing/followed-tokens.js'
import { isBackfilled, readTokens } from './token.js'
import { untrackToken } from './tracked-tokens.js'

// A run of random actions waits for a chain beside other work.
const { db } = await createTestDatabase()
const chain = await startTestChain()
const proxies = [await startRpcProxy(chain.url), await startRpcProxy(chain.url)]
const CONFIRMATIONS = 6
const followed = followTokens({
  db,
  chain,
  confirmations: CONFIRMATIONS,
  rpcUrls: proxies.map(({ url }) => url),
})
const accounts = Array.from({ length: 8 }, (_, index) => chain.account(index))
let token: Address
let historicalToken: Address

const call = (address: Address, functionName: string, args: readonly unknown[]) => ({
  contract: 'Token',
  address,
  functionName,
  args,
})

beforeAll(async () => {
  token = await chain.deployToken('Apple', 'APL', 18)
  historicalToken = await chain.deployToken('Pear', 'PEAR', 6)
  for (const account of accounts)
    await chain.send(account, call(historicalToken, 'mint', [account.address, 1_000n]))
  await followed.watch(token)
})

/** Compares the balances of every address in a transfer with the chain. */
async function expectBalancesOfChain(address: Address): Promise<void> {
  const logs = await chain.client.getLogs({ address, fromBlock: 0n })
  const namedHolders = parseEventLogs({ abi: contract('Token').abi, logs, eventName: 'Transfer' }).flatMap(
    ({ args }) => {
      const { from, to } = args as unknown as { from: Address; to: Address }
      return [from, to]
    },
  )
  const holders = [...new Set(namedHolders.map((each) => each.toLowerCase() as Address))]
  const expectedRows = await Promise.all(
    holders.map(
      async (holder) => [holder, await chain.read<bigint>(call(address, 'balanceOf', [holder]))] as const,
    ),
  )
  const rows = await db<{ holder: string; balance: string }[]>`
    select '0x' || encode(holder, 'hex') as holder, balance::text as balance
    from tokens.balances b join tokens.tokens t on t.id = b.token_id
    where t.address = ${Buffer.from(address.slice(2), 'hex')}::bytea and balance > 0`
  const held = expectedRows
    .filter(([, balance]) => balance > 0n)
    .map(([holder, balance]) => [holder, String(balance)])
  expect(new Map(rows.map(({ holder, balance }) => [holder, balance]))).toEqual(
    new Map(held as [string, string][]),
  )
}

async function isTokenBackfilled(address: Address): Promise<boolean> {
  const [row] = await readTokens(db, { addresses: [Buffer.from(address.slice(2), 'hex')] })
  return row !== undefined && isBackfilled(row)
}

/** Steps until the token is backfilled, for which its history must be final. */
async function catchUpCompletely(): Promise<void> {
  await followed.catchUp()
  await chain.mine(CONFIRMATIONS + 1)
  await followed.catchUp()
}

const account = fc.integer({ min: 0, max: accounts.length - 1 })
const action = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant('transfer' as const),
      from: account,
      to: account,
      share: fc.integer({ min: 0, max: 100 }),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('mint' as const),
      to: account,
      value: fc.bigInt({ min: 0n, max: 2n ** 200n }),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant('burn' as const),
      from: account,
      share: fc.integer({ min: 0, max: 100 }),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant('reorg' as const),
      depth: fc.integer({ min: 1, max: CONFIRMATIONS - 1 }),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constant('mine' as const), blocks: fc.integer({ min: 1, max: 4 }) }),
  },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('follow' as const) }) },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant('fault' as const),
      proxy: fc.integer({ min: 0, max: 1 }),
      fault: fc.constantFrom('stopped', 'blocksBehind', 'small', 'none'),
    }),
  },
)
type TestAction = typeof action extends fc.Arbitrary<infer T> ? T : never

async function runAction(event: TestAction): Promise<void> {
  switch (event.kind) {
    case 'transfer':
    case 'burn': {
      const from = accounts[event.from]!
      const held = await chain.read<bigint>(call(token, 'balanceOf', [from.address]))
      const value = (held * BigInt(event.share)) / 100n
      const to = event.kind === 'transfer' ? [accounts[event.to]!.address] : []
      await chain.send(from, call(token, event.kind, [...to, value]))
      return
    }
    case 'mint':
      await chain.send(accounts[0]!, call(token, 'mint', [accounts[event.to]!.address, event.value]))
      return
    case 'reorg':
      await chain.reorg(event.depth)
      return
    case 'mine':
      await chain.mine(event.blocks)
      return
    case 'follow':
      // An RPC that is down or behind: the next step continues from here.
      await followed.step().catch(() => {})
      return
    case 'fault': {
      const faults = {
        stopped: { stopped: true },
        blocksBehind: { blocksBehind: 2 },
        small: { maxLogRange: 1 },
        none: {},
      }
      proxies[event.proxy]!.faults = faults[event.fault]
    }
  }
}

it("balances: after any chain and RPC behavior they equal the chain's", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(action, { minLength: 5, maxLength: 25 }), async (events) => {
      for (const event of events) await runAction(event)
      for (const proxy of proxies) proxy.faults = {}
      await catchUpCompletely()
      expect(await isTokenBackfilled(token)).toBe(true)
      await expectBalancesOfChain(token)
    }),
    { numRuns: 12 },
  )
})

it('balances: a token tracked later is hidden until it is backfilled', async () => {
  await followed.watch(historicalToken)
  expect(await isTokenBackfilled(historicalToken)).toBe(false)
  await followed.catchUp()
  await followed.catchUp()
  // Its history is not final: a reorganization might revert what was read.
  expect(await isTokenBackfilled(historicalToken)).toBe(false)
  await chain.send(accounts[1]!, call(historicalToken, 'transfer', [accounts[2]!.address, 400n]))
  await chain.reorg(2)
  await chain.send(accounts[1]!, call(historicalToken, 'transfer', [accounts[3]!.address, 300n]))
  await catchUpCompletely()
  expect(await isTokenBackfilled(historicalToken)).toBe(true)
  await expectBalancesOfChain(historicalToken)
})

it('balances: a reorganization of final blocks -> a new backfill', async () => {
  await chain.send(accounts[0]!, call(token, 'mint', [accounts[5]!.address, 77n]))
  await catchUpCompletely()
  await chain.reorg(CONFIRMATIONS + 6)
  await chain.send(accounts[0]!, call(token, 'mint', [accounts[6]!.address, 88n]))
  await catchUpCompletely()
  expect(await isTokenBackfilled(token)).toBe(true)
  await expectBalancesOfChain(token)
})

it('untrackToken: deletes everything, and the token can be tracked again', async () => {
  const bytes = Buffer.from(historicalToken.slice(2), 'hex')
  expect(await untrackToken(db, 'base', bytes)).toBe(true)
  expect(await untrackToken(db, 'base', bytes)).toBe(false)
  await catchUpCompletely()
  expect(
    await db`select 1 from tokens.balances b join tokens.tokens t on t.id = b.token_id and t.symbol = 'PEAR'`,
  ).toEqual([])
  await followed.watch(historicalToken)
  await catchUpCompletely()
  await catchUpCompletely()
  await expectBalancesOfChain(historicalToken)
  expect(await db`select 1 from chain.followers where name like 'base/token/%'`).toEqual([])
})
