import { beforeEach, expect, it } from 'vitest'
import { startRpcProxy } from '../../../test/chain/rpc-proxy.js'
import { startTestChain } from '../../../test/chain/test-chain.js'
import { silentLog } from '../../platform/log/log.js'
import { ChainRpc, RpcMismatch } from './chain-rpc.js'

const chain = await startTestChain()
const [first, second, third] = [
  await startRpcProxy(chain.url),
  await startRpcProxy(chain.url),
  await startRpcProxy(chain.url),
]

/** A contract of every chain that returns what it is given. */
const IDENTITY = `0x${'00'.repeat(19)}04` as const

beforeEach(() => {
  for (const proxy of [first, second, third]) proxy.faults = {}
})

function open(
  rpcUrls = [first.url, second.url],
  options: Partial<ConstructorParameters<typeof ChainRpc>[1]> = {},
): ChainRpc {
  const chain = { name: 'optimism', chainId: 10, rpcUrls, confirmations: 0 } as const
  return new ChainRpc(chain, { log: silentLog, clock: Date.now, ...options })
}

it('concurrent calls on a URL that stops are all answered by the next one', async () => {
  const rpc = open()
  await rpc.withEndpoint((endpoint) => endpoint.head())
  for (const [stopped, other] of [
    [first, second],
    [second, first],
  ] as const) {
    stopped.faults = { stopped: true }
    other.faults = {}
    const heads = await Promise.all(
      Array.from({ length: 9 }, () => rpc.withEndpoint((endpoint) => endpoint.head())),
    )
    expect(new Set(heads)).toEqual(new Set([Number(await chain.client.getBlockNumber())]))
  }
})

it('requestAgreed returns what all answering endpoints agree on', async () => {
  const rpc = open([first.url, second.url, third.url])
  const head = Number(await chain.client.getBlockNumber())
  const ask = () => rpc.requestAgreed((endpoint) => endpoint.head())
  expect(await ask()).toBe(head)
  first.faults = { stopped: true }
  third.faults = { stopped: true }
  expect(await ask()).toBe(head)
  third.faults = { blocksBehind: 1 }
  await expect(ask()).rejects.toThrow(RpcMismatch)
  second.faults = { stopped: true }
  expect(await ask()).toBe(head - 1)
  third.faults = { stopped: true }
  await expect(ask()).rejects.toThrow('HTTP')
})

it('a mismatch is logged once a minute, with endpoints, answers and advice', async () => {
  const told: [object, string][] = []
  let [nowMs, differed] = [0, 0]
  const rpc = open([first.url, second.url], {
    log: { ...silentLog, warn: (...line) => told.push(line) },
    clock: () => nowMs,
    onMismatch: () => {
      differed += 1
    },
  })
  const ask = () => rpc.requestAgreed((endpoint) => endpoint.head())
  const head = await ask()
  expect([told, differed]).toEqual([[], 0])
  second.faults = { blocksBehind: 1 }
  for (nowMs of [1_000, 30_000, 60_999]) await expect(ask()).rejects.toThrow(RpcMismatch)
  const answers = [
    { endpoint: new URL(first.url).host, answer: String(head) },
    { endpoint: new URL(second.url).host, answer: String(head - 1) },
  ]
  expect(told).toEqual([
    [{ network: 'optimism', answers }, expect.stringContaining('remove the wrong one from the RPC URLs')],
  ])
  nowMs = 61_000
  await expect(ask()).rejects.toThrow(RpcMismatch)
  expect([told.length, differed]).toEqual([2, 4])
})

it('requestConfirmed: two of three endpoints suffice while they agree, one does not', async () => {
  const rpc = open([first.url, second.url, third.url])
  const answer = () => rpc.requestConfirmed((endpoint) => endpoint.call(IDENTITY, '0x07'), 10_000)
  expect(await answer()).toBe('0x07')
  third.faults = { stopped: true }
  expect(await answer()).toBe('0x07')
  second.faults = { refuse: () => 'busy' }
  await expect(answer()).rejects.toThrow('1 of 3 RPC endpoints answered, and 2 must agree')
  second.faults = { alterResult: () => '0x08' }
  await expect(answer()).rejects.toThrow(RpcMismatch)
  const single = open([first.url])
  expect(await single.requestConfirmed((endpoint) => endpoint.call(IDENTITY, '0x07'), 10_000)).toBe('0x07')
})

it('requestConfirmed: an endpoint that does not answer in time has failed', async () => {
  const rpc = open([first.url, second.url])
  // Its chain is checked already: the limit is for the other one.
  await rpc.withEndpoint((endpoint) => endpoint.head())
  second.faults = { hold: () => new Promise<void>(() => {}) }
  await expect(rpc.requestConfirmed((endpoint) => endpoint.head(), 2_000)).rejects.toThrow(
    /RPC endpoints answered/,
  )
})

it('recordHead reports the newest block, also with one URL', async () => {
  const heads: number[] = []
  const rpc = open([first.url], { onHead: (number) => heads.push(number) })
  for (const head of [7, 7, 8]) await rpc.recordHead(head)
  expect(heads).toEqual([7, 7, 8])
})
