import { type Hex, parseEther } from 'viem'
import { afterAll, expect, it } from 'vitest'
import { readTransaction } from '../../src/features/accounts/ledger/chain/wallet-transaction.js'
import { findRegistration } from '../../src/features/accounts/registration/registration.js'
import { ChainRpc } from '../../src/hub/chain/chain-rpc.js'
import { readChainSettings } from '../../src/hub/chain/chain-settings.js'
import { ChainFollower } from '../../src/hub/chain/follower.js'
import { registryHandler } from '../../src/hub/chain/registry-handler.js'
import { silentLog } from '../../src/platform/log/log.js'
import { createTestDatabase } from '../database.js'
import { createTestHub } from '../hub.js'
import { walletOn } from './account-chain.js'
import { expectInvariants, expectMatchesChain } from './account-invariants.js'
import { AccountServer } from './account-server.js'
import { createLeaseHolder } from './lease-holder.js'
import { startRpcProxy } from './rpc-proxy.js'
import { startTestChain } from './test-chain.js'

const database = await createTestDatabase({ poolSize: 4 })
const { db } = database
const chain = await startTestChain()
const rpc = await startRpcProxy(chain.url)
const clock = Date.now
const hub = await createTestHub(db, { clock })
const settings = readChainSettings({ rpcUrls: { optimism: chain.url }, confirmations: 0, firstBlock: 0 })
const followed = settings.chains.get('optimism')!
const handler = registryHandler(settings, followed, { hub, log: silentLog })!
const follower = new ChainFollower(handler, {
  db,
  rpc: new ChainRpc(followed, { log: silentLog, clock }),
  holder: createLeaseHolder(database.connect),
})
const somebody = chain.account(7)
const server = new AccountServer({ database, urls: rpc.url, clock, hub, confirmations: 0, stuckMs: 60_000 })
await server.start()
afterAll(async () => {
  server.kill()
  await server.ended()
})

/** The last signed call of a part of a registration. */
async function callFor(part: string): Promise<{ to: Hex; data: Hex } | null> {
  const [row] = await db<{ raw: Buffer }[]>`
    select a.raw from accounts.attempts a
    join accounts.transactions t on t.id = a.transaction_id
    where t.purpose like ${`registration % ${part}`}
    order by t.id desc
    limit 1`
  return row ? readTransaction(row.raw) : null
}

// Anybody can copy the signatures of a pending transaction and use them first.
it.each(['key', 'transfer'])('an account is registered even if somebody else sent its %s', async (part) => {
  const funding = parseEther('1')
  const wallet = { ...(await walletOn(chain, db, { balance: funding, fidPoolSize: 0 })), funding }
  const fid = await server.accounts.fidPool.take(wallet)
  const before = await callFor(part)
  let go = () => {}
  const overtaken = new Promise<void>((resolve) => {
    go = resolve
  })
  // Everything before it proceeds.
  rpc.faults = {
    async hold(method) {
      if (method === 'eth_sendRawTransaction' && (await callFor(part))?.data !== before?.data) await overtaken
    },
  }
  const registered = server.register({ fid, wallet, isSigned: true, hasSigner: true })
  await expect.poll(async () => (await callFor(part))?.data, { interval: 20 }).not.toBe(before?.data)
  const { to, data } = (await callFor(part))!
  const client = chain.clientOf(somebody)
  const hash = await client.sendTransaction({ account: somebody, chain: null, to, data })
  await client.waitForTransactionReceipt({ hash })
  go()
  // The followers of the chain report what somebody else sent.
  await registered.catch((error: { code?: string }) => expect(error.code).toBe('unavailable'))
  rpc.faults = {}
  while ((await follower.step()) !== 'caughtUp') {}
  const registration = await findRegistration(db, fid)
  await server.accounts.registrar.complete(registration!.id)
  await server.accounts.fidPool.idle()
  await expectInvariants(db, [wallet])
  await expectMatchesChain(chain, db, [wallet])
  const [row] = await db<{ step: string; held: Buffer }[]>`
    select r.step, f.custody_address = r.custody_address as held
    from accounts.registrations r join hub.fids f on f.fid = r.fid
    where r.fid = ${fid}`
  expect(row).toEqual({ step: 'done', held: true })
})
