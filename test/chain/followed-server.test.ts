import type { Address } from 'viem'
import { expect, it } from 'vitest'
import { trackPool, trackToken } from '../../src/features/tokens/tracked-tokens.js'
import { ChainRpc } from '../../src/hub/chain/chain-rpc.js'
import { readChainSettings } from '../../src/hub/chain/chain-settings.js'
import { silentLog } from '../../src/platform/log/log.js'
import { createTestDatabase } from '../database.js'
import { startTestServer } from '../running-server.js'
import { startReceiver } from '../webhooks/receiver.js'
import { subscribe, webhookEnv } from '../webhooks/subscriber.js'
import { openMarket } from './market.js'
import { startTestChain } from './test-chain.js'

const { db, url: databaseUrl } = await createTestDatabase()
const chain = await startTestChain()
const CONFIRMATIONS = 3
const env = {
  ...webhookEnv,
  CHAIN_OPTIMISM_RPC_URLS: chain.url,
  CHAIN_FIRST_BLOCK: '0',
  CHAIN_POLL_MS: '50',
  CHAIN_CONFIRMATIONS: String(CONFIRMATIONS),
}
const rpc = new ChainRpc(readChainSettings({ rpcUrls: { optimism: chain.url } }).chains.get('optimism')!, {
  log: silentLog,
  clock: Date.now,
})
const bytes = (address: Address) => Buffer.from(address.slice(2), 'hex')

it('a server with a chain stores its users, tokens and trades, and sends webhooks', async () => {
  const server = await startTestServer(databaseUrl, env)
  const [ann, nobody] = [chain.account(1), chain.account(2)]
  const fid = await chain.register(ann)
  await chain.mine(CONFIRMATIONS + 1)
  await expect.poll(() => server.get(`user/bulk?fids=${fid}`)).toHaveProperty('users.0.fid', fid)

  const apple = await chain.deployToken('Apple', 'APL', 18)
  const usd = await chain.deployToken('Dollar', 'USD', 6)
  const reserves = [
    [apple, 10n ** 24n],
    [usd, 10n ** 12n],
  ] as const
  const market = await openMarket(chain, 'PairV2', reserves, [ann, nobody])
  await trackToken(db, rpc, { address: bytes(usd), trackedBy: 'operator', isDollar: true })
  await trackToken(db, rpc, { address: bytes(apple), trackedBy: 'operator' })
  await trackPool(db, rpc, bytes(market.pool))
  await chain.mine(CONFIRMATIONS + 1)
  const ownersOf = () => server.get(`fungible/owner/relevant?network=optimism&contract_address=${apple}`)
  const mineAndAsk = async () => {
    await chain.mine(1)
    return await ownersOf()
  }
  await expect.poll(mineAndAsk).toHaveProperty('all_relevant_fungible_owners_dehydrated.0.fid', fid)

  const receivers = []
  const minima = [{ minimum_token_amount_usdc: 500 }, { minimum_trader_service_score: 0.5 }]
  for (const filter of [{}, { fids: [fid] }, ...minima]) {
    const receiver = await startReceiver()
    await subscribe(server, receiver.url, { 'trade.created': filter })
    receivers.push(receiver)
  }
  await db`update social.users set score = 0.9 where fid = ${fid}`
  const hash = await market.swap(ann, usd, 100n * 10n ** 6n)
  await market.swap(nobody, usd, 1_000n * 10n ** 6n)
  await chain.mine(CONFIRMATIONS + 1)

  const counts = [2, 1, 1, 1]
  const received = await Promise.all(
    receivers.map((receiver, index) => receiver.waitForCount(counts[index]!)),
  )
  const traders = received.map((list) => list.map(({ body }) => body.data.trader?.fid ?? null).sort())
  expect(traders).toEqual([[fid, null], [fid], [null], [fid]])
  const reported = received[0]!.find(({ body }) => body.data.transaction.hash === hash)!.body
  expect(reported).toMatchObject({
    type: 'trade.created',
    data: {
      object: 'trade',
      trader: { object: 'user_dehydrated', fid },
      pool: { object: 'pool', protocol_family: 'uniswap', protocol_version: 'v2' },
      transaction: {
        network: { object: 'network', name: 'optimism' },
        net_transfer: {
          object: 'net_transfer',
          sending_fungible: { token: { symbol: 'USD' }, balance: { in_usd: 100, in_token: '100' } },
          receiving_fungible: { token: { symbol: 'APL' }, balance: { in_usd: 100 } },
        },
      },
    },
  })
  const metrics = async () => await (await fetch(`${server.urls.main}/metrics`)).text()
  // What the database answers late is left out of a reply.
  await expect.poll(metrics).toMatch(/plaza_chain_lag_blocks\{follower="optimism\/assets"\} \d/)
  await expect.poll(metrics).toMatch(/plaza_chain_next_block\{follower="optimism\/registries"\} \d/)
  expect(await metrics()).toMatch(/plaza_chain_logs_total\{follower="optimism\/registries"\} [1-9]/)
  // A development chain may make no blocks.
  expect(await metrics()).not.toContain('plaza_chain_head_age_seconds{')
})

it('a server that is not of a devnet measures the age of the newest block', async () => {
  const { url } = await createTestDatabase()
  const server = await startTestServer(url, { ...env, HUB_NETWORK: 'mainnet' })
  const metrics = async () => await (await fetch(`${server.urls.main}/metrics`)).text()
  await expect.poll(metrics).toMatch(/plaza_chain_head_age_seconds\{network="optimism"\} \d/)
})
