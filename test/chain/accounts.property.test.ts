import { setTimeout as sleep } from 'node:timers/promises'
import fc from 'fast-check'
import { parseEther } from 'viem'
import { afterAll, expect, it } from 'vitest'
import { PlazaError } from '../../src/platform/errors.js'
import { hexOf } from '../../src/protocol/bytes.js'
import { createTestDatabase } from '../database.js'
import { createTestHub } from '../hub.js'
import { walletOn } from './account-chain.js'
import { countOpen, expectInvariants, expectMatchesChain, type FundedWallet } from './account-invariants.js'
import { AccountServer } from './account-server.js'
import { type Faults, startRpcProxy } from './rpc-proxy.js'
import { startTestChain } from './test-chain.js'

/** `ACCOUNT_RUNS=200` runs it for long. */
const RUNS = Number(process.env.ACCOUNT_RUNS ?? 3)
const CONFIRMATIONS = 3
/** What the contracts ask for a fid, about. */
const PRICE = parseEther('0.0021')
const HOLD_MS = 10 * 60 * 1000
/** What has failed is tried again after seconds, which pass faster here. */
const SPEED = 20
const STEP_MS = 300

const database = await createTestDatabase({ poolSize: 8 })
const { db } = database
const chain = await startTestChain()
const rpcs = [await startRpcProxy(chain.url), await startRpcProxy(chain.url)] as const
const startMs = Date.now()
let skippedMs = 0
const clock = () => startMs + skippedMs + SPEED * (Date.now() - startMs)
const hub = await createTestHub(db, { clock })

const dead: AccountServer[] = []
let servers: AccountServer[] = []
let wallets: FundedWallet[] = []
const pending = new Set<Promise<unknown>>()
const failures: unknown[] = []
let isOver = false

function startServer(): Promise<AccountServer> {
  const urls = rpcs.map(({ url }) => url).join(',')
  const options = { confirmations: CONFIRMATIONS, stuckMs: 30_000 }
  return new AccountServer({ database, urls, clock, hub, ...options }).start()
}

/** Blocks come, and servers look, as they do everywhere. */
const transientErrors = (async () => {
  while (!isOver) {
    await chain.mine(1).catch(() => {})
    for (const server of servers) server.wake()
    await sleep(60)
  }
})()
afterAll(async () => {
  isOver = true
  await transientErrors
  for (const server of servers) server.kill()
  await Promise.all([...dead, ...servers].map((server) => server.ended()))
})

// What an RPC may say that another one need not contradict: it is found out by itself.
const outages: Readonly<Record<string, () => Faults>> = {
  none: () => ({}),
  stopped: () => ({ stopped: true }),
  hanging: () => ({ hold: () => cleared }),
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
// What it may say where another one can be asked.
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

/** A quantity is as short as it can be, a word has 32 bytes. */
function more(number: unknown, by: number): string {
  const sum = (number === '0x' ? 0 : Number(number)) + by
  return `0x${sum.toString(16).padStart(String(number).length < 66 && number !== '0x' ? 1 : 64, '0')}`
}

let clearFaults = () => {}
let cleared: Promise<void> = Promise.resolve()

function setFaults(faults: readonly Faults[]): void {
  clearFaults()
  cleared = new Promise((resolve) => {
    clearFaults = resolve
  })
  for (const [n, rpc] of rpcs.entries()) rpc.faults = faults[n] ?? {}
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
      alterResult: fc.constantFrom(...Object.keys(wrongAnswers)),
    }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('rest' as const) }) },
)
type Action = typeof action extends fc.Arbitrary<infer T> ? T : never

/** What of it fails is asked for again by nobody; it is on the way, or it is not. */
function begin(work: Promise<unknown>, by: AccountServer): void {
  const done = work.catch((error: unknown) => {
    const isExpected =
      error instanceof PlazaError && /^(unavailable|insufficient_funds|conflict)/.test(error.code)
    if (!isExpected && !by.isDead) failures.push(error)
  })
  const followed = done.finally(() => pending.delete(followed))
  pending.add(followed)
}

const handedOut: { readonly fid: number; readonly askedMs: number }[] = []

/** Nobody gets what somebody else was given less than ten minutes ago. */
async function take(by: AccountServer, payer: FundedWallet): Promise<void> {
  const askedMs = clock()
  const fid = await by.accounts.fidPool.take(payer)
  const isHeld = handedOut.some((other) => other.fid === fid && clock() - other.askedMs < HOLD_MS)
  expect(isHeld, `fid ${fid} was given to two`).toBe(false)
  handedOut.push({ fid, askedMs })
}

async function registerSome(
  by: AccountServer,
  requested: Extract<Action, { kind: 'register' }>,
): Promise<void> {
  const held = await db<{ fid: number; walletId: string }[]>`
    select fid, held_by as "walletId" from accounts.fid_pool
    where used_at is null and held_until > ${new Date(clock())}
      and held_by = any(${db.types.texts(wallets.map(({ id }) => id))}::text[]::uuid[])
    order by fid
    limit ${requested.count}`
  for (const { fid, walletId } of held) {
    const payer = wallets.find(({ id }) => id === walletId)!
    begin(by.register({ fid, wallet: payer, ...requested }), by)
  }
}

async function replaceDead(): Promise<void> {
  for (const [n, each] of servers.entries()) {
    if (!each.isDead) continue
    dead.push(each)
    servers[n] = await startServer()
  }
}

async function act(step: Action, inconsistentRpc: 0 | 1 | null): Promise<void> {
  await replaceDead()
  switch (step.kind) {
    case 'take':
      for (let n = 0; n < step.callers; n += 1) {
        const by = servers[n % 2]!
        begin(take(by, wallets[step.wallet]!), by)
      }
      return
    case 'register':
      return await registerSome(servers[step.server]!, step)
    case 'expire':
      skippedMs += HOLD_MS
      return
    case 'kill':
      return servers[step.server]!.killAfter(step.writes)
    case 'reorg':
      return await chain.reorg(step.depth)
    case 'rpc': {
      const given = step.outages.map((name) => outages[name]!())
      const lied = [{}, {}].map((_, n) => (n === inconsistentRpc ? wrongAnswers[step.alterResult]!() : {}))
      return setFaults(inconsistentRpc === null ? given : lied)
    }
    case 'rest':
      setFaults([])
      await Promise.all(pending)
  }
}

/** Everybody is well, and has money: all that was begun comes to its end. */
async function comeToRest(): Promise<void> {
  setFaults([])
  for (const each of servers) each.killAfter(Number.POSITIVE_INFINITY)
  await act({ kind: 'rest' }, null)
  const [bank] = [chain.account(0)]
  for (const each of wallets) {
    const value = parseEther('0.5')
    const to = hexOf(each.address)
    const hash = await chain.client.sendTransaction({ account: bank, chain: null, to, value })
    await chain.client.waitForTransactionReceipt({ hash })
    each.funding += value
  }
  await Promise.all(pending)
  expect(failures).toEqual([])
  // A server that lives may order more at any moment: nothing is open for good only when all have ended.
  do {
    await replaceDead()
    await expect.poll(() => countOpen(db), { timeout: 90_000, interval: 100 }).toBe(0)
    for (const each of servers) each.kill()
    await Promise.all(servers.map((each) => each.ended()))
  } while ((await countOpen(db)) > 0)
}

const scene = fc.record({
  funds: fc.array(fc.nat(30), { minLength: 3, maxLength: 3 }),
  inconsistentRpc: fc.constantFrom(null, 0 as const, 1 as const),
  actions: fc.array(action, { minLength: 8, maxLength: 16 }),
})

it('fid pool: available, held and used fids equal the registered ones under any fault, and no wallet overspends', {
  timeout: 120_000 * RUNS,
}, async () => {
  servers = [await startServer(), await startServer()]
  const crowd = { kind: 'take' as const, wallet: 0, callers: 50 }
  const rest = { kind: 'rest' as const }
  const busy = { kind: 'register' as const, server: 0, count: 3, isSigned: true, hasSigner: true }
  await fc.assert(
    fc.asyncProperty(scene, async ({ funds, inconsistentRpc, actions }) => {
      wallets = await Promise.all(
        funds.map(async (count, n) => {
          const funding = BigInt(count) * PRICE
          return { ...(await walletOn(chain, db, { balance: funding, fidPoolSize: n })), funding }
        }),
      )
      // Fids held for others are available again.
      skippedMs += HOLD_MS
      // They have it for good: a block that is taken back takes back what was given in it.
      await chain.mine(CONFIRMATIONS + 1)
      for (const step of actions) {
        await act(step, inconsistentRpc)
        await Promise.race([Promise.all(pending), sleep(STEP_MS)])
        expect(failures).toEqual([])
        await expectInvariants(db, wallets, clock())
      }
      await comeToRest()
      await expectInvariants(db, wallets, clock())
      await expectMatchesChain(chain, db, wallets)
    }),
    {
      numRuns: RUNS,
      endOnFailure: true,
      skipAllAfterTimeLimit: 120_000 * RUNS,
      examples: [
        [
          {
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
          },
        ],
      ],
    },
  )
})
