import { parseEther } from 'viem'
import { afterAll, expect, it } from 'vitest'
import { FidPool } from '../../src/features/accounts/fid-pool/fid-pool.js'
import { countFidsByState } from '../../src/features/accounts/testing/fid-counts.js'
import type { Wallet } from '../../src/features/accounts/wallets/wallets.js'
import { testVault } from '../../src/features/signers/testing/approved-signer.js'
import { silentLog } from '../../src/platform/log/log.js'
import { createTestDatabase } from '../database.js'
import { createTestHub } from '../hub.js'
import { ledgerOn, purchaseOf, walletOn } from './account-chain.js'
import { startRpcProxy } from './rpc-proxy.js'
import { startTestChain } from './test-chain.js'

/** As many connections as a server uses for accounts. */
const { db } = await createTestDatabase({ poolSize: 5 })
const chain = await startTestChain()
const rpc = await startRpcProxy(chain.url)
const clock = Date.now
const hub = await createTestHub(db, { clock })

let startAnswering: () => void = () => {}
afterAll(() => startAnswering())

/** From now on the RPC holds some requests until it is released. */
function stopAnswering(about: (method: string) => boolean = () => true): void {
  const spoken = new Promise<void>((resolve) => {
    startAnswering = resolve
  })
  rpc.faults = { hold: (method) => (about(method) ? spoken : Promise.resolve()) }
}

function recover(): void {
  rpc.faults = {}
  startAnswering()
}

/** The ledger and fid pool of one process. */
function process() {
  const ledger = ledgerOn(rpc.url, { db, hub, clock })
  return { ledger, fidPool: new FidPool({ db, vault: testVault, ledger, clock, log: silentLog }) }
}

/** A wallet with this many fids available in the pool. */
async function walletWithFids(count: number): Promise<Wallet> {
  const wallet = await walletOn(chain, db, { balance: parseEther('1'), fidPoolSize: count })
  await process().fidPool.fill(wallet.id)
  return wallet
}

async function payersOf(fids: readonly number[]): Promise<string[]> {
  const rows = await db<{ payer: string }[]>`
    select paid_by as payer from accounts.fid_pool where fid = any(${fids as number[]}::bigint[])`
  return rows.map(({ payer }) => payer)
}

it('FidPool.take: pooled fids go to the wallet that paid for them while the chain is silent', async () => {
  const wallet = await walletWithFids(3)
  const [knowing, started] = [process(), process()]
  await knowing.ledger.priceOf({ kind: 'register' })
  stopAnswering()
  const fids = [await knowing.fidPool.take(wallet), await started.fidPool.take(wallet)]
  expect(new Set(fids).size).toBe(2)
  expect(await payersOf(fids)).toEqual([wallet.id, wallet.id])
  recover()
  await knowing.fidPool.fill(wallet.id)
  expect(await countFidsByState(db)).toMatchObject({ available: 3, held: 2 })
})

it('FidPool.take: a wallet of unknown or too small balance gets no pooled fid', async () => {
  await walletWithFids(2)
  const poor = await walletOn(chain, db, { balance: 0n })
  rpc.faults = { stopped: true }
  await expect(process().fidPool.take(poor)).rejects.toMatchObject({ code: 'unavailable.other_side' })
  rpc.faults = {}
  await expect(process().fidPool.take(poor)).rejects.toMatchObject({ code: 'insufficient_funds' })
})

it('stalled purchases do not block callers, whatever their number', async () => {
  const wallet = await walletWithFids(1)
  const { ledger, fidPool } = process()
  const purchases = await Promise.all(Array.from({ length: 12 }, (_, n) => purchaseOf(wallet, `halted ${n}`)))
  stopAnswering((method) => method === 'eth_getBalance')
  const requested = rpc.requestCounts.get('eth_getBalance') ?? 0
  const halted = Promise.allSettled(purchases.map((purchase) => ledger.buy(purchase)))
  await expect.poll(() => rpc.requestCounts.get('eth_getBalance')).toBeGreaterThan(requested)
  expect(await payersOf([await fidPool.take(wallet)])).toEqual([wallet.id])
  recover()
  for (const one of await halted) {
    if (one.status === 'rejected') expect(one.reason).toMatchObject({ code: 'unavailable.other_side' })
    else expect(one.value).toMatchObject({ fid: expect.any(Number) })
  }
})
