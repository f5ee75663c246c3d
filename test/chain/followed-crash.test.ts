import { type Address, parseEther, parseEventLogs } from 'viem'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { expect, it } from 'vitest'
import { contract } from '../../scripts/dev-chain.mjs'
import { trackPool, trackToken } from '../../src/features/tokens/tracked-tokens.js'
import { ChainRpc } from '../../src/hub/chain/chain-rpc.js'
import { readChainSettings } from '../../src/hub/chain/chain-settings.js'
import { registryTopics } from '../../src/hub/chain/registry-events.js'
import { silentLog } from '../../src/platform/log/log.js'
import { HubEventType } from '../../src/protocol/definitions.js'
import { createTestDatabase } from '../database.js'
import { createDataDir, startServerProcess } from '../server-process.js'
import { bytesOf } from './account-chain.js'
import { type Market, openMarket } from './market.js'
import { startRpcProxy } from './rpc-proxy.js'
import { startTestChain } from './test-chain.js'

const { db, url: databaseUrl } = await createTestDatabase()
const chain = await startTestChain()
const proxy = await startRpcProxy(chain.url)
const CONFIRMATIONS = 3
const ROUNDS = 3
const settings = readChainSettings({ rpcUrls: { optimism: chain.url }, confirmations: CONFIRMATIONS })
const rpc = new ChainRpc(settings.chains.get('optimism')!, { log: silentLog, clock: Date.now })
const followers = ['optimism/assets', 'optimism/registries']
const people = [1, 2, 3, 4, 5].map((n) => chain.account(n))
const registries = ['idRegistry', 'keyRegistry', 'storageRegistry'] as const

/** Returns logs of addresses up to a block. */
async function logsUpTo(last: number, addresses: readonly Address[]) {
  const logs = await chain.client.getLogs({ address: [...addresses], fromBlock: 0n })
  return logs.filter(({ blockNumber }) => Number(blockNumber) <= last)
}

const requestCount = () => [...proxy.requestCounts.values()].reduce((sum, count) => sum + count, 0)

const place = (block: unknown, index: unknown) => `${block}/${index}`

/** The hub has every event of the registries once, and no other. */
async function expectEvents(): Promise<void> {
  const topics = new Set<unknown>(registries.flatMap((name) => registryTopics[name]))
  const logs = await logsUpTo(
    Number(await chain.client.getBlockNumber()) - CONFIRMATIONS,
    registries.map((name) => chain.addresses[name]),
  )
  const there = logs.filter((log) => topics.has(log.topics[0]))
  const rows = await db<{ block: number; index: number }[]>`
    select block_number as block, log_index as index from hub.onchain_events order by 1, 2`
  expect(rows.map(({ block, index }) => place(block, index))).toEqual(
    there.map(({ blockNumber, logIndex }) => place(blockNumber, logIndex)),
  )
  const [reported] = await db<{ count: number }[]>`
    select count(*)::integer as count from hub.events where type = ${HubEventType.MERGE_ON_CHAIN_EVENT}`
  expect(reported).toEqual({ count: there.length })
}

/** Stored balances equal those of the contract, for all addresses in transfers. */
async function expectBalances(token: Address): Promise<void> {
  const logs = await logsUpTo(Number.MAX_SAFE_INTEGER, [token])
  const named = parseEventLogs({ abi: contract('Token').abi, logs, eventName: 'Transfer' })
  const holders = new Set(named.map(({ args }) => (args as unknown as { to: Address }).to.toLowerCase()))
  const held = new Map<string, string>()
  for (const holder of holders) {
    const balance = await chain.read<bigint>({
      contract: 'Token',
      address: token,
      functionName: 'balanceOf',
      args: [holder],
    })
    if (balance > 0n) held.set(holder, String(balance))
  }
  const rows = await db<{ holder: string; balance: string }[]>`
    select '0x' || encode(holder, 'hex') as holder, balance::text as balance
    from tokens.balances b join tokens.tokens t on t.id = b.token_id
    where t.address = ${bytesOf(token)}::bytea and balance > 0`
  expect(new Map(rows.map(({ holder, balance }) => [holder, balance]))).toEqual(held)
}

/** Every swap is stored once. */
async function expectTrades(pool: Address): Promise<void> {
  const logs = await logsUpTo(Number.MAX_SAFE_INTEGER, [pool])
  const swaps = parseEventLogs({ abi: contract('PairV2').abi, logs, eventName: 'Swap' })
  const rows = await db<{ block: number; index: number }[]>`
    select block, log_index as index from tokens.trades order by 1, 2`
  expect(rows.map(({ block, index }) => place(block, index))).toEqual(
    swaps.map(({ blockNumber, logIndex }) => place(blockNumber, logIndex)),
  )
}

/** The first block that a follower has not handled. */
async function nextOf(name: string): Promise<number> {
  const [row] = await db<{ next: number }[]>`
    select next_block as next from chain.followers where name = ${name}`
  return row?.next ?? 0
}

/** Connections of servers to the database. */
const sessionsOfServer = () => db`
  select application_name from pg_stat_activity
  where datname = current_database() and backend_type = 'client backend' and application_name <> 'plaza test'`

/** All followers have caught up. */
async function areCaughtUp(): Promise<boolean> {
  const head = Number(await chain.client.getBlockNumber())
  const [assets, hub] = await Promise.all(['optimism/assets', 'optimism/registries'].map(nextOf))
  return assets === head + 1 && hub === head + 1 - CONFIRMATIONS
}

/** Blocks before a token was tracked are read by others. */
async function areBackfilled(): Promise<void> {
  const unread = async () => {
    // The backfill ends at the first tracked block, which becomes final some blocks later.
    await chain.mine(1)
    return await db`select from tokens.tokens where (read_to >= live_from) is not true`
  }
  await expect.poll(unread, { interval: 100 }).toHaveLength(0)
}

/** Actions on the chain, one after another. */
async function* actions(token: Address, market: Market): AsyncGenerator<void> {
  const fid = await chain.register(people[0]!)
  for (let n = 0; ; n += 1) {
    const [from, to] = [people[n % people.length]!, people[(n * 3 + 1) % people.length]!]
    const erc20 = { contract: 'Token', address: token }
    await chain.send(from, { ...erc20, functionName: 'transfer', args: [to.address, BigInt(n + 1)] })
    if (n % 3 === 0) await market.swap(from, token, 10n ** 18n + BigInt(n))
    if (n % 4 === 1) {
      const storage = { contract: 'StorageRegistry', address: chain.addresses.storageRegistry }
      const value = await chain.read<bigint>({ ...storage, functionName: 'price', args: [1] })
      await chain.send(from, { ...storage, functionName: 'rent', args: [fid, 1], value })
    }
    if (n % 5 === 2) {
      const newcomer = privateKeyToAccount(generatePrivateKey())
      await chain.client.setBalance({ address: newcomer.address, value: parseEther('1') })
      await chain.register(newcomer)
    }
    yield
  }
}

it('a server killed anywhere, and reorganizations -> no event is lost or repeated', async () => {
  const env = {
    DATABASE_URL: databaseUrl,
    LOG_LEVEL: 'silent',
    CRAWL_EMBEDS: 'false',
    SCORE_INTERVAL_HOURS: '0',
    CHAIN_OPTIMISM_RPC_URLS: proxy.url,
    CHAIN_FIRST_BLOCK: '0',
    CHAIN_POLL_MS: '50',
    CHAIN_CONFIRMATIONS: String(CONFIRMATIONS),
  }
  const apple = await chain.deployToken('Apple', 'APL', 18)
  const usd = await chain.deployToken('Dollar', 'USD', 6)
  const reserves = [
    [apple, 10n ** 24n],
    [usd, 10n ** 12n],
  ] as const
  const market = await openMarket(chain, 'PairV2', reserves, people)
  await trackToken(db, rpc, { address: bytesOf(usd), trackedBy: 'operator', isDollar: true })
  await trackToken(db, rpc, { address: bytesOf(apple), trackedBy: 'operator' })
  await trackPool(db, rpc, bytesOf(market.pool))
  const dataDir = await createDataDir()
  const happening = actions(apple, market)
  let server = await startServerProcess({ dataDir, env })
  await areBackfilled()

  for (let round = 0; round < ROUNDS; round += 1) {
    const begun = await nextOf('optimism/assets')
    for (let n = 0; n < 6 || (await nextOf('optimism/assets')) <= begun; n += 1) await happening.next()
    if (round === 1) await chain.reorg(CONFIRMATIONS - 1)
    await happening.next()
    // Killed after a few more requests, at another moment in each round.
    const lastRequest = requestCount() + 2 * round
    await expect.poll(requestCount, { interval: 5 }).toBeGreaterThanOrEqual(lastRequest)
    server.child.kill('SIGKILL')
    await server.ended
    // Statements that it had sent may still run.
    await expect.poll(sessionsOfServer, { interval: 20 }).toHaveLength(0)
    const stood = new Map(
      await Promise.all(followers.map(async (name) => [name, await nextOf(name)] as const)),
    )
    if (round !== 1) await chain.reorg(CONFIRMATIONS - 1)
    for (let n = 0; n < 3; n += 1) await happening.next()
    // Expires its leases.
    await db`update chain.followers set leased_until = now()`
    const requested = new Map<string, number>()
    proxy.faults = {
      alterResult(method, result, [filter]) {
        if (method !== 'eth_getLogs') return result
        const { fromBlock, address } = filter as { fromBlock: string; address: string | string[] }
        const isHub = [address].flat().includes(chain.addresses.idRegistry.toLowerCase())
        const name = isHub ? 'optimism/registries' : 'optimism/assets'
        requested.set(name, Math.min(requested.get(name) ?? Number(fromBlock), Number(fromBlock)))
        return result
      },
    }
    server = await startServerProcess({ dataDir, env })
    await expect.poll(areCaughtUp, { interval: 50 }).toBe(true)
    proxy.faults = {}
    // Final blocks are not read again, others only as far as they left the chain.
    expect(requested.get('optimism/registries')).toBe(stood.get('optimism/registries'))
    expect(requested.get('optimism/assets')).toBeGreaterThanOrEqual(
      stood.get('optimism/assets')! - CONFIRMATIONS,
    )
    await expectEvents()
    await expectBalances(apple)
    await expectTrades(market.pool)
  }
})
