import { parseEther } from 'viem'
import { beforeEach, expect, it, vi } from 'vitest'
import { ledgerOn, walletOn } from '../../../../../test/chain/account-chain.js'
import { startRpcProxy } from '../../../../../test/chain/rpc-proxy.js'
import { startTestChain } from '../../../../../test/chain/test-chain.js'
import { createTestDatabase } from '../../../../../test/database.js'
import { isRefusal } from '../../../../platform/errors.js'
import type { Wallet } from '../../wallets/wallets.js'
import type { ChainLedger } from './chain-ledger.js'
import type { TransactionOrder } from './transaction-order.js'

const { db } = await createTestDatabase({ poolSize: 8 })
const chain = await startTestChain()
const proxy = await startRpcProxy(chain.url)
const parts = { db, hub: { submitOnChainEvents: async () => [] }, clock: Date.now }
/** Blocks are not final in a test. */
const confirmations = 100
const newWallet = () => walletOn(chain, db, { balance: parseEther('1') })
const requestCount = (method: string) => proxy.requestCounts.get(method) ?? 0

beforeEach(() => {
  proxy.faults = {}
  proxy.requestCounts.clear()
})

let payments = 0
function payment({ id }: Wallet): TransactionOrder {
  const call = { to: chain.account(1).address, data: '0x' as const }
  payments += 1
  return { walletId: id, purpose: `payment ${payments}`, call, value: 1n }
}

async function submit(ledger: ChainLedger, order: TransactionOrder) {
  const submitted = await ledger.submit(order)
  if (isRefusal(submitted)) throw new Error(submitted.message)
  return submitted
}

/** Submits a payment that a block includes, which no ledger has seen. */
async function payUnseen(wallet: Wallet): Promise<void> {
  const ledger = ledgerOn(chain.url, parts, { confirmations })
  await submit(ledger, payment(wallet))
  await ledger.settleWallet(wallet.id)
}

it('one of two RPCs hangs -> the other one shows which transactions are in a block', async () => {
  const wallet = await newWallet()
  await payUnseen(wallet)
  const ledger = ledgerOn(`${chain.url},${proxy.url}`, parts, { confirmations })
  proxy.faults = { hold: (method) => (method === 'eth_chainId' ? Promise.resolve() : new Promise(() => {})) }
  await submit(ledger, payment(wallet))
  expect(requestCount('eth_getTransactionCount')).toBe(1)
  expect(requestCount('eth_getTransactionReceipt')).toBe(0)
})

it('a transaction that the monitor has seen in a block is not asked for', async () => {
  const wallet = await newWallet()
  await payUnseen(wallet)
  const ledger = ledgerOn(proxy.url, parts, { confirmations })
  await ledger.settleWallet(wallet.id)
  expect(requestCount('eth_getTransactionReceipt')).toBe(1)
  await submit(ledger, payment(wallet))
  expect(requestCount('eth_getTransactionReceipt')).toBe(1)
})

it('purchases of a wallet that wait at once share a search', async () => {
  const wallet = await newWallet()
  const lost = 2
  for (let count = 0; count < lost; count += 1) await payUnseen(wallet)
  await db`delete from accounts.attempts
    where transaction_id in (select id from accounts.transactions where wallet_id = ${wallet.id})`
  await db`delete from accounts.transactions where wallet_id = ${wallet.id}`
  await db`update accounts.wallets set next_nonce = 0 where id = ${wallet.id}`
  const ledger = ledgerOn(proxy.url, parts, { confirmations })
  let searches = 0
  proxy.faults = {
    hold: async (method, [, isFull]) => {
      if (method !== 'eth_getBlockByNumber' || isFull !== true) return
      searches += 1
      // Each purchase reads the balance in its turn, before it waits.
      await vi.waitFor(() => expect(requestCount('eth_getBalance')).toBeGreaterThanOrEqual(3), 15_000)
    },
  }
  const orders = [payment(wallet), payment(wallet), payment(wallet)]
  const sent = await Promise.all(orders.map((order) => submit(ledger, order)))
  expect(new Set(sent.map(({ hash }) => hash)).size).toBe(orders.length)
  expect(searches).toBe(lost)
})
