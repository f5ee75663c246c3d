import { type Hex, parseEther, parseGwei } from 'viem'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { ledgerOn, walletOn } from '../../../../../test/chain/account-chain.js'
import { type Faults, startRpcProxy } from '../../../../../test/chain/rpc-proxy.js'
import { startTestChain } from '../../../../../test/chain/test-chain.js'
import { createTestDatabase } from '../../../../../test/database.js'
import { ethAccount, newPrivateKey } from '../../../../hub/registry/eth-account.js'
import { isRefusal } from '../../../../platform/errors.js'
import { hexOf } from '../../../../protocol/bytes.js'
import { passTime } from '../../testing/pass-time.js'
import type { Wallet } from '../../wallets/wallets.js'
import type { SubmittedTransaction, TransactionOrder } from './transaction-order.js'

const { db } = await createTestDatabase({ poolSize: 8 })
const chain = await startTestChain()
const proxy = await startRpcProxy(chain.url)
const STUCK_MS = 60_000
let nowMs = Date.now()
const hub = { submitOnChainEvents: async () => [] }
const ledger = ledgerOn(proxy.url, { db, hub, clock: () => nowMs }, { stuckMs: STUCK_MS })
const newWallet = () => walletOn(chain, db, { balance: parseEther('1') })

beforeEach(() => {
  proxy.faults = {}
})
afterEach(() => chain.client.setAutomine(true))

let payments = 0
/** A payment of one wei. All differ in their purposes alone, and so in the tags of these: random ones may have the same. */
function payment({ id }: Wallet): TransactionOrder {
  const call = { to: chain.account(1).address, data: '0x' as const }
  payments += 1
  return { walletId: id, purpose: `payment ${payments}`, call, value: 1n }
}

async function submit(order: TransactionOrder): Promise<SubmittedTransaction> {
  const submitted = await ledger.submit(order)
  if (isRefusal(submitted)) throw new Error(submitted.message)
  return submitted
}

/** Submits an order and has the node mine it, or keep it if it does not mine. */
async function send(order: TransactionOrder): Promise<SubmittedTransaction> {
  const submitted = await submit(order)
  await ledger.settleWallet(order.walletId)
  return submitted
}

/** Puts the database back to before these orders, as a fail-over to a standby does that lacks the last commits. */
async function lose(...orders: readonly Pick<TransactionOrder, 'purpose' | 'walletId'>[]): Promise<void> {
  for (const { purpose, walletId } of orders) {
    await db`
      with lost as (select id from accounts.transactions where purpose = ${purpose})
      delete from accounts.attempts where transaction_id in (select id from lost)`
    const [row] = await db<{ nonce: number }[]>`
      delete from accounts.transactions where purpose = ${purpose} returning nonce`
    await db`
      update accounts.wallets set next_nonce = least(next_nonce, ${row!.nonce}) where id = ${walletId}`
  }
}

const countSent = ({ address }: Wallet) =>
  chain.client.getTransactionCount({ address: hexOf(address), blockTag: 'latest' })

async function stateOf({ purpose }: TransactionOrder) {
  const rows = await db<{ state: string; failure: string | null; hash: Buffer | null }[]>`
    select state, failure, hash from accounts.transactions where purpose = ${purpose} order by id`
  return rows.map(({ state, failure, hash }) => ({ state, failure, hash: hash && hexOf(hash) }))
}

/** Checks a wallet until its transactions are settled, however long another one may remain unseen. */
async function settle({ id }: Wallet): Promise<void> {
  await expect
    .poll(async () => {
      await ledger.settleWallet(id)
      nowMs += STUCK_MS
      return await db`select from accounts.transactions where wallet_id = ${id} and state = 'recorded'`
    })
    .toEqual([])
}

/** The node offers another tip, so that the same transaction is signed with another hash. */
function offerTip(tip: bigint): void {
  proxy.faults = {
    alterResult: (method, result) =>
      method === 'eth_maxPriorityFeePerGas' ? `0x${tip.toString(16)}` : result,
  }
}

describe('a fail-over of the database that lost the record of a payment', () => {
  it('in a block -> the repeated order is that payment', async () => {
    const wallet = await newWallet()
    const order = payment(wallet)
    await send(payment(wallet))
    const { hash } = await send(order)
    await settle(wallet)
    await lose(order)
    offerTip(parseGwei('3'))
    expect(await submit(order)).toMatchObject({ hash })
    await settle(wallet)
    expect(await stateOf(order)).toEqual([{ state: 'confirmed', failure: null, hash }])
    expect(await countSent(wallet)).toBe(2)
    expect(await submit(order)).toMatchObject({ hash, isNew: false })
  })

  it('with others -> each is found, in any order and after a new one', async () => {
    const wallet = await newWallet()
    const orders = [payment(wallet), payment(wallet), payment(wallet)]
    const hashes = []
    for (const order of orders) hashes.push((await send(order)).hash)
    await lose(...orders)
    const another = await send(payment(wallet))
    expect(hashes).not.toContain(another.hash)
    for (const index of [2, 0, 1]) expect(await submit(orders[index]!)).toMatchObject({ hash: hashes[index] })
    await settle(wallet)
    expect(await countSent(wallet)).toBe(4)
  })

  it('of a wallet that cannot pay again -> the repeated order is that payment', async () => {
    const wallet = await newWallet()
    const order = payment(wallet)
    const { hash } = await send(order)
    await settle(wallet)
    await lose(order)
    await chain.client.setBalance({ address: hexOf(wallet.address), value: 0n })
    expect(await submit(order)).toMatchObject({ hash })
    expect(await ledger.submit(payment(wallet))).toMatchObject({ code: 'insufficient_funds' })
  })

  it('for storage whose price has risen since -> it is bought once', async () => {
    const wallet = await newWallet()
    const call = { kind: 'rent', fid: 7, units: 1 } as const
    const order = { ...payment(wallet), call }
    const bought = await ledger.buy(order)
    await lose(order)
    proxy.faults = {
      alterResult: (method, result) =>
        method === 'eth_call'
          ? `0x${(BigInt(result as Hex) + 1_000n).toString(16).padStart(64, '0')}`
          : result,
    }
    expect(await ledger.buy(order)).toEqual(bought)
    expect(await countSent(wallet)).toBe(1)
    expect(await ledger.buy({ ...payment(wallet), call })).toMatchObject({ hash: expect.any(Buffer) })
    expect(await countSent(wallet)).toBe(2)
  })

  it('that is pending -> it is signed again, and the one in a block counts', async () => {
    const wallet = await newWallet()
    const order = payment(wallet)
    await chain.client.setAutomine(false)
    const { hash } = await send(order)
    await lose(order)
    offerTip(parseGwei('0.5'))
    expect((await send(order)).hash).not.toBe(hash)
    await chain.client.setAutomine(true)
    await chain.mine(1)
    await settle(wallet)
    expect(await stateOf(order)).toEqual([{ state: 'confirmed', failure: null, hash }])
    expect(await submit(order)).toMatchObject({ hash })
    expect(await countSent(wallet)).toBe(1)
  })

  it('that is pending, and another took its nonce -> nothing is sent until that is settled, then it is found', async () => {
    const wallet = await newWallet()
    const [order, other] = [payment(wallet), payment(wallet)]
    await chain.client.setAutomine(false)
    const { hash } = await send(order)
    await lose(order)
    await send(other)
    await chain.client.setAutomine(true)
    await chain.mine(1)
    await expect(submit(order)).rejects.toMatchObject({ code: 'unavailable' })
    await settle(wallet)
    expect(await stateOf(other)).toEqual([{ state: 'reverted', failure: 'NonceTaken', hash: null }])
    expect(await submit(order)).toMatchObject({ hash })
    await send(other)
    await settle(wallet)
    expect((await stateOf(order)).at(-1)).toMatchObject({ state: 'confirmed', hash })
    expect((await stateOf(other)).at(-1)).toMatchObject({ state: 'confirmed' })
    expect(await countSent(wallet)).toBe(2)
  })

  it('but its fee replacement -> the replacement counts', async () => {
    const wallet = await newWallet()
    const order = payment(wallet)
    await chain.client.setAutomine(false)
    const first = await send(order)
    nowMs += STUCK_MS
    await passTime(db, STUCK_MS)
    await ledger.settleWallet(wallet.id)
    const [replacement] = await db<{ hash: Buffer }[]>`
      delete from accounts.attempts where transaction_id = ${first.id} and attempt > 0 returning hash`
    await chain.client.setAutomine(true)
    await chain.mine(1)
    await settle(wallet)
    const hash = hexOf(replacement!.hash)
    expect(await stateOf(order)).toEqual([{ state: 'confirmed', failure: null, hash }])
    expect(await submit(order)).toMatchObject({ hash })
    expect(await countSent(wallet)).toBe(1)
  })

  it('one of two RPCs knows no old counts -> the repeated order is that payment', async () => {
    const wallet = await newWallet()
    const order = payment(wallet)
    const { hash } = await send(order)
    await settle(wallet)
    await lose(order)
    proxy.faults = {
      alterResult: (method, result, [, block]) =>
        method === 'eth_getTransactionCount' && block === '0x0' ? '0x1' : result,
    }
    const both = ledgerOn(`${proxy.url},${chain.url}`, { db, hub, clock: () => nowMs })
    expect(await both.submit(order)).toMatchObject({ hash })
  })

  it('an RPC that does not show what has used the nonce -> nothing is sent', async () => {
    const wallet = await newWallet()
    const order = payment(wallet)
    await send(payment(wallet))
    const { hash } = await send(order)
    await settle(wallet)
    await lose(order)
    proxy.faults = {
      refuse: (method, [, isFull]) => (method === 'eth_getBlockByNumber' && isFull === true ? 'busy' : null),
    }
    await expect(submit(order)).rejects.toMatchObject({ code: 'unavailable.other_side' })
    proxy.faults = {}
    expect(await submit(order)).toMatchObject({ hash })
  })
})

it('the same payment that was sent elsewhere with the key is not that of an order', async () => {
  const key = newPrivateKey()
  const wallet = await walletOn(chain, db, { balance: parseEther('1'), key })
  const { signer } = ethAccount(key)
  const client = chain.clientOf(signer)
  const { to } = payment(wallet).call
  const elsewhere = async (nonce: number) => {
    const hash = await client.sendTransaction({ account: signer, chain: null, to, value: 1n, nonce })
    await client.waitForTransactionReceipt({ hash })
    return hash
  }
  const hashes = [await elsewhere(0), await elsewhere(1)]
  hashes.push((await send(payment(wallet))).hash, await elsewhere(3), (await send(payment(wallet))).hash)
  await settle(wallet)
  expect(new Set(hashes).size).toBe(5)
  expect(await countSent(wallet)).toBe(5)
})

it('an imported wallet whose RPC has forgotten its history -> it pays', async () => {
  const key = newPrivateKey()
  const wallet = await walletOn(chain, db, { balance: parseEther('1'), key })
  const { signer } = ethAccount(key)
  const client = chain.clientOf(signer)
  await client.sendTransaction({ account: signer, chain: null, to: signer.address, nonce: 0 })
  proxy.faults = {
    refuse: (method, [, block]) =>
      method === 'eth_getTransactionCount' && block !== 'latest' ? 'missing trie node' : null,
  }
  const order = payment(wallet)
  await submit(order)
  proxy.faults = {}
  await settle(wallet)
  expect(await countSent(wallet)).toBe(2)
})

/** Refuses counts of all but the newest block. */
const refuseOldCounts =
  (message: string): NonNullable<Faults['refuse']> =>
  (method, [, block]) =>
    method === 'eth_getTransactionCount' && block !== 'latest' ? message : null

it.each(['request rate limit exceeded', 'archive requests: rate limit exceeded', 'header not found'])(
  'the first payment lost, and an RPC that answers "%s" -> nothing is sent, then it is found',
  async (message) => {
    const wallet = await newWallet()
    const order = payment(wallet)
    const { hash } = await send(order)
    await settle(wallet)
    await lose(order)
    proxy.faults = { refuse: refuseOldCounts(message) }
    await expect(submit(order)).rejects.toMatchObject({ code: 'unavailable.other_side' })
    proxy.faults = {}
    expect(await submit(order)).toMatchObject({ hash })
  },
)

it.each([
  'missing trie node 1f4a (path )',
  'historical state 1f4a is not available',
  'project ID does not have access to archive state',
])('a used wallet whose RPC answers "%s" -> refused with the way out, which helps', async (message) => {
  const key = newPrivateKey()
  const wallet = await walletOn(chain, db, { balance: parseEther('1'), key })
  const { signer } = ethAccount(key)
  await send(payment(wallet))
  await settle(wallet)
  await chain.clientOf(signer).sendTransaction({ account: signer, chain: null, to: signer.address, nonce: 1 })
  proxy.faults = { refuse: refuseOldCounts(message) }
  await expect(submit(payment(wallet))).rejects.toMatchObject({
    code: 'unavailable.other_side',
    message: expect.stringContaining('RPC URL that keeps old states'),
  })
  const both = ledgerOn(`${proxy.url},${chain.url}`, { db, hub, clock: () => nowMs })
  expect(await both.submit(payment(wallet))).toMatchObject({ isNew: true })
})
