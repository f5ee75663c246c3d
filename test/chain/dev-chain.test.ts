import { expect, it } from 'vitest'
import { devClient } from '../../scripts/dev-chain.mjs'
import { startRpcProxy } from './rpc-proxy.js'
import { startTestChain } from './test-chain.js'

const chain = await startTestChain()
const proxy = await startRpcProxy(chain.url)

it('a transaction mined while the client looks for it is found without a further block', async () => {
  const account = chain.account(0)
  const client = devClient(proxy.url, { account })
  let looked = () => {}
  const isLookedFor = new Promise<void>((resolve) => {
    looked = resolve
  })
  proxy.faults = {
    hold: async (method) => (method === 'eth_getBlockByNumber' ? await isLookedFor : undefined),
  }
  await chain.client.setAutomine(false)
  const hash = await client.sendTransaction({
    account,
    chain: null,
    to: account.address,
    value: 1n,
    gas: 21_000n,
    maxFeePerGas: 10_000_000_000n,
    maxPriorityFeePerGas: 1n,
  })
  let isFound = false
  const found = client.waitForTransactionReceipt({ hash }).finally(() => {
    isFound = true
  })
  const requested = (method: string) => proxy.requestCounts.get(method) ?? 0
  await expect.poll(() => requested('eth_getTransactionReceipt'), { interval: 10 }).toBeGreaterThan(1)
  await chain.mine(1)
  const before = requested('eth_blockNumber')
  await expect.poll(() => isFound || requested('eth_blockNumber') >= before + 3, { interval: 10 }).toBe(true)
  looked()
  expect(await found).toMatchObject({ transactionHash: hash, status: 'success' })
})
