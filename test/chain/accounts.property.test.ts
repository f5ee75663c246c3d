import fc from 'fast-check'
import { it } from 'vitest'
import { createTestDatabase } from '../database.js'
import { createTestHub } from '../hub.js'
import { expectInvariants, expectMatchesChain } from './account-invariants.js'
import { AccountScene, HOLD_MS, SceneClock } from './account-scene.js'
import { type Faults, startRpcProxy } from './rpc-proxy.js'
import { startTestChain } from './test-chain.js'

/** `ACCOUNT_RUNS=200` runs it for long. */
const RUNS = Number(process.env.ACCOUNT_RUNS ?? 3)
const CONFIRMATIONS = 3

const database = await createTestDatabase({ poolSize: 8 })
const { db } = database
const chain = await startTestChain()
const rpcs = [await startRpcProxy(chain.url), await startRpcProxy(chain.url)]
const clock = new SceneClock(db)
const hub = await createTestHub(db, { clock: clock.now })
const parts = { database, chain, rpcs, hub, clock, confirmations: CONFIRMATIONS }

/** Faults that are detected without another RPC. */
const outages: Readonly<Record<string, (cleared: Promise<void>) => Faults>> = {
  none: () => ({}),
  stopped: () => ({ stopped: true }),
  hanging: (cleared) => ({ hold: () => cleared }),
  blocksBehind: () => ({ blocksBehind: 2 }),
  ahead: () => ({
    alterResult: (method, result) => (method === 'eth_blockNumber' ? more(result, 50) : result),
  }),
  'without receipts': () => ({ alterResult: aboutReceipts(() => null) }),
  'with receipts of other blocks': () => ({
    alterResult: aboutReceipts((receipt) => ({ ...receipt, blockHash: `0x${'ab'.repeat(32)}` })),
  }),
  'keeping what it is sent': () => ({ dropsTransactions: true }),
}
/** Faults that are detected by comparing with another RPC. */
const wrongAnswers: Readonly<Record<string, () => Faults>> = {
  none: () => ({}),
  stopped: () => ({ stopped: true }),
  'of failures': () => ({
    alterResult: aboutReceipts((receipt) => ({ ...receipt, status: '0x0', logs: [] })),
  }),
  'of other fids': () => ({
    alterResult: aboutReceipts(({ logs, ...receipt }) => ({
      ...receipt,
      logs: logs.map(({ topics, ...log }) => ({
        ...log,
        topics: topics.map((topic, n) => (n === 2 ? more(topic, 1_000) : topic)),
      })),
    })),
  }),
  'of other counts': () => ({
    alterResult: (method, result) => (method === 'eth_getTransactionCount' ? more(result, 7) : result),
  }),
  'of contracts': () => ({
    alterResult: (method, result) => (method === 'eth_call' ? more('0x', 7) : result),
  }),
}

type Receiptlike = { readonly logs: readonly { readonly topics: readonly string[] }[] }

function aboutReceipts(change: (receipt: Receiptlike) => unknown): NonNullable<Faults['alterResult']> {
  return (method, result) =>
    method === 'eth_getTransactionReceipt' && result !== null ? change(result as Receiptlike) : result
}

/** Adds to a quantity, which has no leading zeros, or to a word of 32 bytes. */
function more(number: unknown, by: number): string {
  const sum = (number === '0x' ? 0 : Number(number)) + by
  return `0x${sum.toString(16).padStart(String(number).length < 66 && number !== '0x' ? 1 : 64, '0')}`
}

const server = fc.nat(1)
const wallet = fc.nat(2)
const action = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant('take' as const),
      wallet,
      callers: fc.integer({ min: 1, max: 6 }),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant('register' as const),
      server,
      count: fc.integer({ min: 1, max: 3 }),
      isSigned: fc.nat(3).map((n) => n > 0),
      hasSigner: fc.boolean(),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('expire' as const) }) },
  {
    weight: 3,
    arbitrary: fc.record({ kind: fc.constant('kill' as const), server, writes: fc.nat(12) }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('reorg' as const),
      depth: fc.integer({ min: 1, max: CONFIRMATIONS }),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant('rpc' as const),
      outages: fc.tuple(fc.constantFrom(...Object.keys(outages)), fc.constantFrom(...Object.keys(outages))),
      wrongAnswer: fc.constantFrom(...Object.keys(wrongAnswers)),
    }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('rest' as const) }) },
)
type Action = typeof action extends fc.Arbitrary<infer T> ? T : never

async function act(scene: AccountScene, action: Action, inconsistentRpc: 0 | 1 | null): Promise<void> {
  await scene.replaceDead()
  switch (action.kind) {
    case 'take':
      return await scene.take(action.wallet, action.callers)
    case 'register':
      return await scene.register(action.server, action.count, action)
    case 'expire':
      return await clock.advance(HOLD_MS)
    case 'kill':
      return scene.killAfter(action.server, action.writes)
    case 'reorg':
      return await chain.reorg(action.depth)
    case 'rpc':
      return scene.setFaults((cleared) =>
        inconsistentRpc === null
          ? action.outages.map((name) => outages[name]!(cleared))
          : rpcs.map((_, index) => (index === inconsistentRpc ? wrongAnswers[action.wrongAnswer]!() : {})),
      )
    case 'rest':
      return await scene.rest()
  }
}

const run = fc.record({
  funds: fc.array(fc.nat(30), { minLength: 3, maxLength: 3 }),
  inconsistentRpc: fc.constantFrom(null, 0 as const, 1 as const),
  actions: fc.array(action, { minLength: 8, maxLength: 16 }),
})
type Run = typeof run extends fc.Arbitrary<infer T> ? T : never

async function expectAccountsHold({ funds, inconsistentRpc, actions }: Run): Promise<void> {
  const scene = await AccountScene.open(parts, funds)
  try {
    for (const each of actions) {
      await act(scene, each, inconsistentRpc)
      await scene.step()
      await expectInvariants(db, scene.wallets)
    }
    await scene.finish()
    await expectInvariants(db, scene.wallets)
    await expectMatchesChain(chain, db, scene.wallets)
  } finally {
    await scene.close()
  }
}

const crowd = { kind: 'take' as const, wallet: 0, callers: 50 }
const rest = { kind: 'rest' as const }
const busy = { kind: 'register' as const, server: 0, count: 3, isSigned: true, hasSigner: true }

/** Known to be hard: a crowd, killed servers, reorganizations, and holds that expire. */
const hardRun: Run = {
  funds: [200, 0, 3],
  inconsistentRpc: null,
  actions: [
    crowd,
    { kind: 'kill', server: 1, writes: 60 },
    { kind: 'reorg', depth: CONFIRMATIONS },
    rest,
    busy,
    busy,
    { kind: 'kill', server: 0, writes: 12 },
    { kind: 'reorg', depth: 2 },
    rest,
    busy,
    { kind: 'expire' },
  ],
}

it(
  'every fid in the pool, held or used was registered, and no wallet overspends, under any faults',
  {
    timeout: 300_000 * RUNS,
  },
  () =>
    fc.assert(fc.asyncProperty(run, expectAccountsHold), {
      numRuns: RUNS,
      endOnFailure: true,
      skipAllAfterTimeLimit: 300_000 * RUNS,
      examples: [[hardRun]],
    }),
)
