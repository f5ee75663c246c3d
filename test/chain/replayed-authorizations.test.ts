import { type Hex, parseEther } from 'viem'
import { afterAll, expect, it, vi } from 'vitest'
import { readTransaction } from '../../src/features/accounts/ledger/chain/wallet-transaction.js'
import { findRegistration } from '../../src/features/accounts/registration/registration.js'
import { ChainRpc } from '../../src/hub/chain/chain-rpc.js'
import { readChainSettings } from '../../src/hub/chain/chain-settings.js'
import { Follower } from '../../src/hub/chain/follower.js'
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

vi.setConfig({ testTimeout: 120_000 })

const database = await createTestDatabase({ poolSize: 4 })
const { db } = database
const chain = await startTestChain()
const rpc = await startRpcProxy(chain.url)
const clock = Date.now
const hub = await createTestHub(db, { clock })
const settings = readChainSettings({ rpcUrls: { optimism: chain.url }, confirmations: 0, firstBlock: 0 })
const network = settings.networks.get('optimism')!
const handler = registryHandler(settings, network, { hub, log: silentLog })!
const follower = new Follower(handler, {
  db,
  rpc: new ChainRpc(network, { log: silentLog, clock }),
  holder: createLeaseHolder(database.connect),
})
const somebody = chain.account(7)
const server = new AccountServer({ database, urls: rpc.url, clock, hub, confirmations: 0, stuckMs: 60_000 })
await server.start()
afterAll(async () => {
  server.kill()
  await server.ended()
})

/** The call that was signed last for what a registration buys. */
async function callFor(part: string): Promise<{ to: Hex; data: Hex } | null> {
  const [row] = await db<{ raw: Buffer }[]>`
    select a.raw from accounts.attempts a
    join accounts.transactions t on t.id = a.transaction_id
    where t.purpose like ${`registration % ${part}`}
    order by t.id desc
    limit 1`
  return row ? readTransaction(row.raw) : null
}

// Whoever sees a transaction on its way sees the signatures in it, and may use them before it.
it.each(['key', 'transfer'])(
  'an account is registered, too, when somebody else has sent its %s',
  async (part) => {
    const funding = parseEther('1')
    const wallet = { ...(await walletOn(chain, db, { balance: funding, fidPoolSize: 0 })), funding }
    const fid = await server.accounts.fidPool.take(wallet)
    const before = await callFor(part)
    let go = () => {}
    const overtaken = new Promise<void>((resolve) => {
      go = resolve
    })
    // What comes before it goes its way.
    rpc.faults = {
      async hold(method) {
        if (method === 'eth_sendRawTransaction' && (await callFor(part))?.data !== before?.data)
          await overtaken
      },
    }
    const registered = server.register({ fid, wallet, isSigned: true, hasSigner: true })
    await expect.poll(async () => (await callFor(part))?.data, { interval: 20 }).not.toBe(before?.data)
    const { to, data } = (await callFor(part))!
    const client = chain.clientOf(somebody)
    const hash = await client.sendTransaction({ account: somebody, chain: null, to, data })
    await client.waitForTransactionReceipt({ hash })
    go()
    // What somebody else has sent is told by the chain's followers.
    await registered.catch((error: { code?: string }) => expect(error.code).toBe('unavailable'))
    rpc.faults = {}
    while ((await follower.step()) !== 'caughtUp') {}
    const registration = await findRegistration(db, fid)
    await server.accounts.registrar.complete(registration!.id)
    await server.accounts.fidPool.idle()
    await expectInvariants(db, [wallet], clock())
    await expectMatchesChain(chain, db, [wallet])
    const [row] = await db<{ step: string; held: Buffer }[]>`
    select r.step, f.custody_address = r.custody_address as held
    from accounts.registrations r join hub.fids f on f.fid = r.fid
    where r.fid = ${fid}`
    expect(row).toEqual({ step: 'done', held: true })
  },
)
