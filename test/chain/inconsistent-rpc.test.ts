import { setTimeout as sleep } from 'node:timers/promises'
import { parseEther } from 'viem'
import { beforeEach, expect, it } from 'vitest'
import type { AccountCall, Receipt } from '../../src/features/accounts/ledger/account-ledger.js'
import type { Wallet } from '../../src/features/accounts/wallets/wallets.js'
import type { Refusal } from '../../src/platform/errors.js'
import { hexOf } from '../../src/protocol/bytes.js'
import { createTestDatabase } from '../database.js'
import { createTestHub } from '../hub.js'
import { ledgerOn, purchaseOf, walletOn } from './account-chain.js'
import { type Faults, startRpcProxy } from './rpc-proxy.js'
import { startTestChain } from './test-chain.js'

const { db } = await createTestDatabase({ poolSize: 8 })
const chain = await startTestChain()
const clock = Date.now
const hub = await createTestHub(db, { clock })
const parts = { db, hub, clock }
const [first, second] = [await startRpcProxy(chain.url), await startRpcProxy(chain.url)]
const both = `${first.url},${second.url}`
const developer = chain.account(5)
const fid = await chain.register(developer)
const STUCK_MS = 300

beforeEach(() => {
  for (const proxy of [first, second]) proxy.faults = {}
})

type Receiptlike = { readonly status: string; readonly blockNumber: string; readonly logs: readonly object[] }

/** Alters the receipts of an RPC. */
function aboutReceipts(change: (receipt: Receiptlike) => unknown): NonNullable<Faults['alterResult']> {
  return (method, result) =>
    method === 'eth_getTransactionReceipt' && result !== null ? change(result as Receiptlike) : result
}

/** Rents storage, which the contracts would sell a second time. */
async function rent(url: string, name: string, options: Parameters<typeof ledgerOn>[2] = {}) {
  const wallet = await walletOn(chain, db, { balance: parseEther('1') })
  const ledger = ledgerOn(url, parts, { stuckMs: STUCK_MS, ...options })
  const call: AccountCall = { kind: 'rent', fid, units: 1 }
  const purchase = { walletId: wallet.id, purpose: name, call }
  return { wallet, ledger, buy: () => ledger.buy(purchase) }
}

/** Repeats a purchase until it succeeds. */
async function buyEventually(buy: () => Promise<Receipt | Refusal>): Promise<Receipt | Refusal> {
  for (;;) {
    const bought = await buy().catch(() => null)
    if (bought !== null) return bought
  }
}

const sentBy = ({ address }: Wallet) => chain.client.getTransactionCount({ address: hexOf(address) })

async function statesOf({ id }: Wallet): Promise<string[]> {
  const rows = await db<{ state: string }[]>`
    select state from accounts.transactions where wallet_id = ${id} order by nonce`
  return rows.map(({ state }) => state)
}

/** The recorded costs equal what the wallet spent. */
async function expectRecordedCosts(wallet: Wallet, funding = parseEther('1')): Promise<void> {
  const [row] = await db<{ cost: string }[]>`
    select coalesce(sum(cost), 0)::text as cost from accounts.transactions where wallet_id = ${wallet.id}`
  const left = await chain.client.getBalance({ address: hexOf(wallet.address) })
  expect(funding - left).toBe(BigInt(row!.cost))
}

it.each([
  ['returns no receipts', aboutReceipts(() => null)],
  ['reports failed receipts', aboutReceipts((receipt) => ({ ...receipt, status: '0x0' }))],
  [
    'reports failed receipts without logs',
    aboutReceipts((receipt) => ({ ...receipt, status: '0x0', logs: [] })),
  ],
  ['leaves out logs', aboutReceipts((receipt) => ({ ...receipt, logs: [] }))],
  ['reports another block', aboutReceipts((receipt) => ({ ...receipt, blockHash: `0x${'ab'.repeat(32)}` }))],
] as const)('an RPC that %s for a while -> nothing is bought twice', async (what, alterResult) => {
  const { wallet, buy } = await rent(both, what)
  first.faults = { alterResult }
  const bought = buyEventually(buy)
  await expect.poll(() => sentBy(wallet), { interval: 20 }).toBe(1)
  // Longer than a foreign transaction with the same nonce may remain unseen: nothing may happen meanwhile.
  await sleep(4 * STUCK_MS)
  expect(await statesOf(wallet)).toHaveLength(1)
  first.faults = {}
  expect(await bought).toMatchObject({ fid: null, hash: expect.any(Buffer) })
  expect(await sentBy(wallet)).toBe(1)
  await expectRecordedCosts(wallet)
})

it('invented transactions and blocks of one of two RPCs do not count', async () => {
  const { wallet, buy, ledger } = await rent(both, 'made up')
  const [real] = await db<
    { hash: Buffer }[]
  >`select hash from accounts.transactions where hash is not null limit 1`
  const model = await chain.client.request({
    method: 'eth_getTransactionReceipt',
    params: [hexOf(real!.hash)],
  })
  const made = (hash: unknown) => ({
    ...model,
    transactionHash: hash,
    logs: model!.logs.map((log) => ({ ...log, transactionHash: hash })),
  })
  const hashes: unknown[] = []
  first.faults = {
    dropsTransactions: true,
    alterResult(method, result, [requested]) {
      if (method === 'eth_getTransactionCount') return '0x1'
      if (method === 'eth_getBlockByNumber' && requested === model!.blockNumber)
        return { ...(result as object), transactions: hashes }
      if (method !== 'eth_getTransactionReceipt') return result
      hashes.push(requested)
      return made(requested)
    },
  }
  second.faults = { dropsTransactions: true }
  const bought = buyEventually(buy)
  await expect.poll(() => hashes.length, { interval: 20 }).toBeGreaterThan(4)
  expect(await statesOf(wallet)).toEqual(['recorded'])
  first.faults = {}
  second.faults = {}
  await ledger.settlePending()
  expect(await bought).toMatchObject({ hash: expect.any(Buffer) })
  expect(await sentBy(wallet)).toBe(1)
  await expectRecordedCosts(wallet)
})

it('an RPC that keeps transactions to itself does not delay them if there is another', async () => {
  const { wallet, buy } = await rent(both, 'kept')
  first.faults = { dropsTransactions: true }
  expect(await buyEventually(buy)).toMatchObject({ hash: expect.any(Buffer) })
  expect(await sentBy(wallet)).toBe(1)
})

it('an RPC that reports too many transactions leaves no gap in the nonces', async () => {
  const { wallet, buy } = await rent(both, 'counted')
  first.faults = {
    alterResult: (method, result) =>
      method === 'eth_getTransactionCount' ? `0x${(Number(result) + 7).toString(16)}` : result,
  }
  const bought = buyEventually(buy)
  await expect.poll(() => statesOf(wallet), { interval: 20 }).toHaveLength(1)
  first.faults = {}
  await bought
  expect(await sentBy(wallet)).toBe(1)
  expect(await statesOf(wallet)).toEqual(['confirmed'])
})

it('an RPC that reports future blocks makes nothing final', async () => {
  const { wallet, buy } = await rent(both, 'too soon', { confirmations: 3 })
  const alterResult: Faults['alterResult'] = (method, result) =>
    method === 'eth_blockNumber' ? `0x${(Number(result) + 50).toString(16)}` : result
  const bought = buyEventually(buy)
  await expect.poll(() => sentBy(wallet), { interval: 20 }).toBe(1)
  first.faults = { alterResult }
  second.faults = { alterResult }
  const requested = first.requestCounts.get('eth_blockNumber')!
  await expect
    .poll(() => first.requestCounts.get('eth_blockNumber')!, { interval: 20 })
    .toBeGreaterThan(requested + 2)
  expect(await statesOf(wallet)).toEqual(['recorded'])
  first.faults = {}
  second.faults = {}
  await chain.mine(3)
  expect(await bought).toMatchObject({ hash: expect.any(Buffer) })
})

it('an RPC that lags does not give a wallet its money back', async () => {
  const { wallet, buy, ledger } = await rent(both, 'spent')
  const old = await chain.client.getBalance({ address: hexOf(wallet.address) })
  await buy()
  await chain.client.setBalance({ address: hexOf(wallet.address), value: 1n })
  first.faults = {
    alterResult(method, result) {
      if (method === 'eth_getBalance') return hexOfNumber(old)
      return method === 'eth_getTransactionCount' ? '0x0' : result
    },
  }
  const call: AccountCall = { kind: 'rent', fid, units: 1 }
  expect(await ledger.buy({ walletId: wallet.id, purpose: 'spent twice', call })).toMatchObject({
    code: 'insufficient_funds',
  })
})

it('a purchase that the contracts refuse as already bought succeeds', async () => {
  const wallet = await walletOn(chain, db, { balance: parseEther('1') })
  const purchase = await purchaseOf(wallet, 'at once')
  let go = () => {}
  const gone = new Promise<void>((resolve) => {
    go = resolve
  })
  first.faults = { hold: async (method) => (method === 'eth_estimateGas' ? await gone : undefined) }
  const estimates = () => first.requestCounts.get('eth_estimateGas') ?? 0
  const before = estimates()
  const slow = ledgerOn(first.url, parts).buy(purchase)
  await expect.poll(estimates, { interval: 20 }).toBeGreaterThan(before)
  const bought = await ledgerOn(second.url, parts).buy(purchase)
  go()
  expect(await slow).toEqual(bought)
  expect(bought).toMatchObject({ fid: expect.any(Number) })
})

function hexOfNumber(value: bigint): string {
  return `0x${value.toString(16)}`
}
