import type { Hex } from 'viem'
import { beforeEach, expect, it } from 'vitest'
import { createLeaseHolder } from '../../../test/chain/lease-holder.js'
import { startRpcProxy } from '../../../test/chain/rpc-proxy.js'
import { startTestChain } from '../../../test/chain/test-chain.js'
import { createTestDatabase } from '../../../test/database.js'
import { silentLog } from '../../platform/log/log.js'
import { ChainRpc } from './chain-rpc.js'
import type { FollowedChain } from './chain-settings.js'
import { ChainFollower, type LogHandler, type StepOutcome, startFollowing } from './follower.js'

const { db, connect } = await createTestDatabase()
const chain = await startTestChain()
const [first, second] = [await startRpcProxy(chain.url), await startRpcProxy(chain.url)]
const token = await chain.deployToken('Apple', 'APL', 18)
const CONFIRMATIONS = 5
const TRANSFER = '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef'

await db`create table public.seen (follower text, block bigint, log_index integer, value numeric)`

let names = 0
let name = ''
beforeEach(() => {
  names += 1
  name = `follower ${names}`
  first.faults = {}
  second.faults = {}
})

/** Records the logs that it handles, and reverts them. */
function recorder(options: Partial<LogHandler> = {}): LogHandler {
  const follower = name
  return {
    name: follower,
    firstBlock: async () => 0,
    confirmedOnly: false,
    withTimes: false,
    filter: async () => ({ addresses: [token.toLowerCase() as Hex], topics: [TRANSFER] }),
    read: async () => {},
    async handle({ logs }, _, commit) {
      await commit(async (transaction) => {
        for (const { blockNumber, logIndex, data } of logs) {
          await transaction`
            insert into public.seen values (${follower}, ${blockNumber}, ${logIndex}, ${BigInt(data).toString()})`
        }
      })
    },
    async undo(transaction, fromBlock) {
      await transaction`delete from public.seen where follower = ${follower} and block >= ${fromBlock}`
    },
    async recoverFromDeepReorg(transaction) {
      await transaction`delete from public.seen where follower = ${follower}`
      return 0
    },
    ...options,
  }
}

function open(
  handler = recorder(),
  chain: Partial<FollowedChain> = {},
  clock = Date.now,
  holder = createLeaseHolder(connect),
): ChainFollower {
  const rpc = new ChainRpc(
    {
      name: 'optimism',
      chainId: 10,
      rpcUrls: [first.url, second.url],
      confirmations: CONFIRMATIONS,
      ...chain,
    },
    { log: silentLog, clock },
  )
  return new ChainFollower(handler, { db, rpc, holder })
}

/** Steps until nothing is new, even if steps fail. */
async function catchUp(follower: ChainFollower, mayFail = false): Promise<StepOutcome[]> {
  const outcomes: StepOutcome[] = []
  for (let steps = 0; steps < 200; steps += 1) {
    const outcome = await follower.step().catch((error: unknown) => {
      if (!mayFail) throw error
      return 'busy' as const
    })
    outcomes.push(outcome)
    if (outcome === 'caughtUp') return outcomes
  }
  throw new Error(`not caught up after 200 steps: ${outcomes.slice(-5)}`)
}

async function transfer(value: bigint): Promise<void> {
  const [from, to] = [chain.account(0), chain.account(1)]
  await chain.send(from, {
    contract: 'Token',
    address: token,
    functionName: 'mint',
    args: [to.address, value],
  })
}

/** Compares the recorded logs with the chain. */
async function expectTruth(until = Number.MAX_SAFE_INTEGER): Promise<void> {
  const seen = await db<{ value: string }[]>`
    select value::text as value from public.seen where follower = ${name} order by block, log_index`
  const logs = await chain.client.getLogs({ address: token, fromBlock: 0n })
  const there = logs.filter(({ blockNumber }) => blockNumber !== null && Number(blockNumber) <= until)
  expect(seen.map(({ value }) => value)).toEqual(there.map(({ data }) => BigInt(data).toString()))
}

it('each log is handled once, also by a restarted follower', async () => {
  for (const value of [1n, 2n, 3n]) await transfer(value)
  await catchUp(open())
  // Another process must wait until the first one releases the lease.
  const later = open()
  expect(await later.step()).toBe('busy')
  await transfer(4n)
  await chain.mine(20)
  await db`update chain.followers set leased_until = now() - interval '1 second'`
  await catchUp(later)
  await expectTruth()
})

it('a follower whose process has died: another process continues at once', async () => {
  await transfer(1n)
  const dying = createLeaseHolder(connect)
  await catchUp(open(recorder(), {}, Date.now, dying))
  expect(await open().step()).toBe('busy')
  await dying.locks.end()
  await expect.poll(() => open().step()).not.toBe('busy')
})

it('a follower whose process hangs: its lease ends within 8 s, and a running one keeps it', async () => {
  const lease = async () =>
    (
      await db<{ seconds: number; ends: Date }[]>`
        select extract(epoch from leased_until - now())::float8 as seconds, leased_until as ends
        from chain.followers where name = ${name}`
    )[0]!
  await transfer(1n)
  await catchUp(open())
  const hung = await lease()
  expect(hung.seconds).toBeLessThanOrEqual(8)
  const running = open(recorder())
  await db`update chain.followers set leased_until = now() - interval '1 second'`
  const hour = 3_600_000
  const stop = startFollowing(running, { pollMs: hour, log: silentLog })
  await expect.poll(async () => (await lease()).ends > hung.ends).toBe(true)
  const { ends } = await lease()
  await expect.poll(async () => (await lease()).ends > ends).toBe(true)
  await stop()
})

it('blocks that leave the chain are reverted', async () => {
  const follower = open()
  await chain.mine(10)
  for (const value of [10n, 11n, 12n, 13n]) {
    await transfer(value)
    await catchUp(follower)
  }
  await chain.reorg(2)
  await transfer(14n)
  const outcomes = await catchUp(follower)
  expect(outcomes).toContain('reorged')
  await expectTruth()
})

it('a reorganization to a shorter chain is followed', async () => {
  const follower = open()
  await transfer(20n)
  const snapshot = await chain.client.snapshot()
  await transfer(21n)
  await transfer(22n)
  await catchUp(follower)
  await chain.client.revert({ id: snapshot })
  await expect(follower.step()).rejects.toThrow('has no block')
  await chain.mine(1)
  await transfer(23n)
  await transfer(24n)
  await catchUp(follower, true)
  await expectTruth()
})

it('a reorganization of final blocks -> everything is read again', async () => {
  const follower = open()
  for (const value of [30n, 31n]) await transfer(value)
  await chain.mine(CONFIRMATIONS + 3)
  await catchUp(follower)
  await chain.reorg(CONFIRMATIONS + 5)
  await transfer(32n)
  expect(await catchUp(follower)).toContain('deepReorg')
  await expectTruth()
})

it('blocks that one RPC alone has replaced are not final blocks that left the chain', async () => {
  const follower = open(recorder({ confirmedOnly: true }))
  await transfer(38n)
  await chain.mine(CONFIRMATIONS)
  await catchUp(follower)
  // It has missed a hard fork, and is asked because the other one refuses a request.
  second.faults = {
    alterResult: (method, result) =>
      method === 'eth_getBlockByNumber'
        ? { ...(result as object), hash: `0x${'cd'.repeat(32)}`, parentHash: `0x${'cd'.repeat(32)}` }
        : result,
  }
  const refusals = ['too many requests']
  first.faults = { status: () => (refusals.pop() === undefined ? null : 429) }
  await expect(follower.step()).rejects.toThrow('has a block that another RPC has replaced')
  await transfer(39n)
  await chain.mine(CONFIRMATIONS)
  // The RPC that contradicted is used.
  expect(await catchUp(follower)).not.toContain('reorged')
  await expectTruth()

  first.faults = { stopped: true }
  await expect(follower.step()).rejects.toThrow('1 of 2 RPC endpoints answered, and 2 must agree')
  await expectTruth()
})

it('an RPC that becomes one of another chain reverts nothing', async () => {
  const follower = open(recorder({ confirmedOnly: true }), { rpcUrls: [first.url] })
  await transfer(39n)
  await chain.mine(CONFIRMATIONS)
  await catchUp(follower)
  first.faults = {
    chainId: 1,
    alterResult: (method, result) =>
      method === 'eth_getBlockByNumber' ? { ...(result as object), hash: `0x${'cd'.repeat(32)}` } : result,
  }
  await expect(follower.step()).rejects.toThrow('is on chain 1, not 10')
  await expectTruth()
  first.faults = {}
  expect(await catchUp(follower)).toEqual(['caughtUp'])
})

it('a node that knows no block before the last one is no reorganization of final blocks', async () => {
  const follower = open()
  for (const value of [33n, 34n]) await transfer(value)
  await chain.mine(3)
  await catchUp(follower)
  const last = Number(await chain.client.getBlockNumber())
  await chain.reorg(2)
  for (const value of [35n, 36n, 37n]) await transfer(value)
  const alterResult = (method: string, result: unknown, params: readonly unknown[]) =>
    method === 'eth_getBlockByNumber' && Number(params[0]) < last ? null : result
  first.faults = { alterResult }
  second.faults = { alterResult }
  await expect(follower.step()).rejects.toThrow('does not have all blocks')
  await expectTruth(last - 2)

  first.faults = {}
  second.faults = {}
  const outcomes = await catchUp(follower)
  expect(outcomes).toContain('reorged')
  expect(outcomes).not.toContain('deepReorg')
  await expectTruth()
})

it('a handler of final blocks does not see the last ones', async () => {
  const follower = open(recorder({ confirmedOnly: true }))
  await transfer(40n)
  await catchUp(follower)
  const head = Number(await chain.client.getBlockNumber())
  await expectTruth(head - CONFIRMATIONS)
  await chain.mine(CONFIRMATIONS)
  await catchUp(follower)
  await expectTruth()
})

it('refused ranges shrink until they are accepted', async () => {
  for (const value of [50n, 51n]) await transfer(value)
  await chain.mine(40)
  first.faults = { maxLogRange: 7 }
  second.faults = { maxLogRange: 7 }
  await catchUp(open(), true)
  await expectTruth()
})

it('RPCs that refuse the logs of a single block: the failure is logged with its cause', async () => {
  const lines: [Record<string, unknown>, string][] = []
  const log = { ...silentLog, warn: (...line: [object, string]) => void lines.push(line as never) }
  const follower = open()
  const refusal = 'logs are not part of your plan'
  for (const proxy of [first, second]) {
    proxy.faults = { refuse: (method) => (method === 'eth_getLogs' ? refusal : null) }
  }
  while (follower.span > 1) await expect(follower.step()).rejects.toThrow('returned no logs')
  const stop = startFollowing(follower, { pollMs: 10, log })
  await expect.poll(() => lines.length).toBeGreaterThan(0)
  const [fields, text] = lines[0]!
  expect(text).toBe('chain follower failed')
  expect(fields).toMatchObject({ follower: name, failures: 1 })
  expect(String((fields.err as Error).cause)).toContain(refusal)
  await stop()
})

it('ranges that are refused and then accepted in parts are no failure', async () => {
  const lines: unknown[] = []
  const log = { ...silentLog, warn: (...line: unknown[]) => void lines.push(line) }
  await transfer(52n)
  await chain.mine(40)
  const follower = open()
  for (const proxy of [first, second]) proxy.faults = { maxLogRange: 7 }
  while (follower.span > 8) await expect(follower.step()).rejects.toThrow('returned no logs')
  const stop = startFollowing(follower, { pollMs: 10, log })
  await expect
    .poll(() => db`select 1 from public.seen where follower = ${name} and value = 52`)
    .toHaveLength(1)
  await stop()
  expect(lines).toEqual([])
})

it('an RPC that stops is replaced by the next one', async () => {
  const follower = open()
  await follower.step()
  first.faults = { stopped: true }
  await transfer(60n)
  await catchUp(follower)
  second.faults = { stopped: true }
  await expect(follower.step()).rejects.toThrow()
  first.faults = {}
  await transfer(61n)
  await catchUp(follower)
  await expectTruth()
})

it('an RPC that reports the same block for a minute is replaced by one that advances', async () => {
  let passedMs = 0
  const follower = open(recorder(), {}, () => Date.now() + passedMs)
  await transfer(62n)
  await catchUp(follower)
  const head = await chain.client.getBlockNumber()
  first.faults = {
    alterResult: (method, result) => (method === 'eth_blockNumber' ? `0x${head.toString(16)}` : result),
  }
  await transfer(63n)
  expect(await follower.step()).toBe('caughtUp')
  passedMs = 61_000
  expect(await follower.step()).toBe('caughtUp')
  expect(await follower.step()).toBe('moved')
  await catchUp(follower)
  await expectTruth()
  // If all RPCs report the same block, the chain itself has stopped.
  passedMs = 130_000
  expect(await follower.step()).toBe('caughtUp')
})

it('an RPC of another chain is not used', async () => {
  first.faults = { chainId: 1 }
  await transfer(70n)
  await catchUp(open())
  await expectTruth()
  await db`update chain.followers set leased_until = now() - interval '1 second'`
  second.faults = { chainId: 1 }
  await expect(open().step()).rejects.toThrow('is on chain 1, not 10')
})

it('a follower does not continue on another chain', async () => {
  await catchUp(open())
  await expect(open(recorder(), { chainId: 8_453 }).step()).rejects.toThrow(
    /followed chain 10 and is now configured for chain 8453: set CHAIN_IDS .* back/,
  )
})

it('a lower first block in the settings -> it is read from there, a higher one changes nothing', async () => {
  await transfer(80n)
  await chain.mine(CONFIRMATIONS)
  const follow = async (configuredFirstBlock: number) => {
    await db`update chain.followers set leased_until = now() - interval '1 second'`
    const firstBlock = async () => configuredFirstBlock
    await catchUp(open(recorder({ firstBlock, configuredFirstBlock })))
  }
  const head = Number(await chain.client.getBlockNumber())
  await follow(head + 1)
  expect(await db`select from public.seen where follower = ${name}`).toEqual([])
  // As a version before has left it: it counts as begun at the block of the settings then.
  await db`update chain.followers set first_block = null where name = ${name}`
  await follow(head + 1)
  await follow(1)
  await expectTruth()
  await transfer(81n)
  await follow(head)
  await expectTruth()
  const first = await db`select first_block from chain.followers where name = ${name}`
  expect(first).toEqual([{ first_block: 1 }])
})

it('an RPC that lags or contradicts itself changes nothing', async () => {
  const follower = open()
  await chain.mine(CONFIRMATIONS)
  await transfer(80n)
  await catchUp(follower)
  for (const each of [81n, 82n]) await transfer(each)
  const lies: ((method: string, result: unknown) => unknown)[] = [
    (method, result) =>
      method === 'eth_getLogs'
        ? (result as object[]).map((log) => ({ ...log, blockHash: `0x${'ab'.repeat(32)}` }))
        : result,
    (method, result) =>
      method === 'eth_getLogs'
        ? (result as object[]).map((log) => ({ ...log, address: `0x${'ab'.repeat(20)}` }))
        : result,
    (method, result) => (method === 'eth_getLogs' ? { not: 'a list' } : result),
    (method, result) =>
      method === 'eth_getLogs' ? [...(result as object[]), ...(result as object[])] : result,
    (method, result) =>
      method === 'eth_getBlockByNumber' ? { ...(result as object), number: '0x1' } : result,
  ]
  for (const lie of lies) {
    first.faults = { alterResult: lie }
    second.faults = { alterResult: lie }
    await expect(follower.step()).rejects.toThrow()
  }
  first.faults = { blocksBehind: 3 }
  second.faults = { blocksBehind: 3 }
  await expect(follower.step()).rejects.toThrow('has no block')
  second.faults = {}
  await catchUp(follower)
  await expectTruth()
})

it('a follower that could not listen for work at first does so at a later step', async () => {
  const lines: unknown[] = []
  let attempts = 0
  const onWork = async () => {
    attempts += 1
    if (attempts < 3) throw new Error('not now')
  }
  const stop = startFollowing(open(), {
    pollMs: 10,
    log: { ...silentLog, warn: (_, text) => lines.push(text) },
    onWork,
  })
  await expect.poll(() => attempts).toBe(3)
  await stop()
  expect(attempts).toBe(3)
  expect(lines).toEqual(['an idle chain follower is woken by time only'])
})

it('startFollowing follows, logs failures, and releases the lease when it stops', async () => {
  const follower = open()
  const stop = startFollowing(follower, { pollMs: 10, log: silentLog })
  await transfer(90n)
  await expect
    .poll(() => db`select 1 from public.seen where follower = ${name} and value = 90`)
    .toHaveLength(1)
  await stop()
  expect(await db`select 1 from chain.followers where name = ${name} and leased_by is null`).toHaveLength(1)
})
