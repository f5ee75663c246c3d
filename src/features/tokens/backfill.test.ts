import type { Address } from 'viem'
import { expect, it } from 'vitest'
import { startRpcProxy } from '../../../test/chain/rpc-proxy.js'
import { startTestChain } from '../../../test/chain/test-chain.js'
import { createTestDatabase } from '../../../test/database.js'
import { followTokens } from './testing/followed-tokens.js'
import { isBackfilled, readTokens } from './token.js'

const { db, connect } = await createTestDatabase()
const chain = await startTestChain()
const proxy = await startRpcProxy(chain.url)
const CONFIRMATIONS = 2
const options = { db, chain, confirmations: CONFIRMATIONS }
const followed = followTokens({ ...options, locks: connect({ poolSize: 1 }), rpcUrls: [proxy.url] })

/** Another process: its requests do not go through the proxy. */
const otherProcess = followTokens({ ...options, locks: connect({ poolSize: 1 }) })

async function isTokenBackfilled(address: Address): Promise<boolean> {
  const [token] = await readTokens(db, { addresses: [Buffer.from(address.slice(2), 'hex')] })
  return isBackfilled(token!)
}

it.each(['eth_getCode', 'eth_getLogs'])(
  'backfillTokens: a token with failing %s does not delay others',
  async (failing) => {
    const [failingToken, other] = [
      await chain.deployToken('Apple', 'APL', 18),
      await chain.deployToken('Pear', 'PEAR', 6),
    ]
    for (const token of [failingToken, other]) await followed.watch(token)
    proxy.faults = {
      hold: async (method, params) => {
        const requestedBlocks = JSON.stringify(params).toLowerCase()
        // The live follower requests logs of all tokens at once.
        if (method === failing && requestedBlocks.includes(failingToken) && !requestedBlocks.includes(other))
          throw new Error('connection closed')
      },
    }
    for (let steps = 0; steps < 3; steps += 1) {
      await followed.step().catch(() => {})
      await chain.mine(CONFIRMATIONS + 1)
    }
    expect([await isTokenBackfilled(failingToken), await isTokenBackfilled(other)]).toEqual([false, true])
    proxy.faults = {}
    for (let steps = 0; steps < 3; steps += 1) {
      await followed.catchUp()
      await chain.mine(CONFIRMATIONS + 1)
    }
    expect(await isTokenBackfilled(failingToken)).toBe(true)
  },
)

it('a backfill whose last block is not what it was begins anew', async () => {
  const [token, other] = [
    await chain.deployToken('Plum', 'PLM', 18),
    await chain.deployToken('Fig', 'FIG', 18),
  ]
  await chain.mine(60)
  for (const each of [token, other]) await followed.watch(each)
  proxy.faults = {
    refuse: (method, params) => {
      const asked = JSON.stringify(params).toLowerCase()
      if (method !== 'eth_getLogs' || !asked.includes(token) || asked.includes(other)) return null
      const { fromBlock, toBlock } = params[0] as { fromBlock: string; toBlock: string }
      // The live follower requests logs of all tokens at once.
      return Number(toBlock) - Number(fromBlock) > 1 ? 'query returned more than 10000 results' : null
    },
  }
  const follower = `base/token/${token.toLowerCase()}`
  const lastBlocks = async () => await db`select number from chain.blocks where follower = ${follower}`
  for (let steps = 0; steps < 20 && (await lastBlocks()).length === 0; steps += 1) {
    await followed.step().catch(() => {})
    await chain.mine(CONFIRMATIONS + 1)
  }
  expect([(await lastBlocks()).length, await isTokenBackfilled(token)]).toEqual([1, false])
  await db`update chain.blocks set hash = sha256('another') where follower = ${follower}`
  proxy.faults = {}
  for (let steps = 0; steps < 3; steps += 1) {
    await followed.catchUp()
    await chain.mine(CONFIRMATIONS + 1)
  }
  expect(await isTokenBackfilled(token)).toBe(true)
})

it('a token that another process has finished since it was listed is not read again', async () => {
  const [large, small] = [
    await chain.deployToken('Melon', 'MLN', 18),
    await chain.deployToken('Grape', 'GRP', 18),
  ]
  const { address: holder } = chain.account(1)
  const mint = { contract: 'Token', address: small, functionName: 'mint', args: [holder, 700n] } as const
  await chain.send(chain.account(0), mint)
  await chain.mine(CONFIRMATIONS + 1)
  for (const token of [large, small]) await followed.watch(token)
  const readBalances = async () =>
    await db`
    select holder, balance::text from tokens.balances b join tokens.tokens t on t.id = b.token_id
    where t.address = ${Buffer.from(small.slice(2), 'hex')} and balance > 0
  `
  let finished: Awaited<ReturnType<typeof readBalances>> | null = null
  proxy.faults = {
    hold: async (method, params) => {
      const asked = JSON.stringify(params).toLowerCase()
      const isOfLarge = asked.includes(large.toLowerCase()) && !asked.includes(small.toLowerCase())
      if (method !== 'eth_getLogs' || !isOfLarge || finished !== null) return
      await otherProcess.catchUp()
      finished = await readBalances()
    },
  }
  for (let steps = 0; steps < 5; steps += 1) {
    await followed.step()
    await chain.mine(CONFIRMATIONS + 1)
  }
  proxy.faults = {}
  const balances = [{ holder: Buffer.from(holder.slice(2), 'hex'), balance: '700' }]
  expect([finished, await readBalances()]).toEqual([balances, balances])
  expect([await isTokenBackfilled(large), await isTokenBackfilled(small)]).toEqual([true, true])
})
