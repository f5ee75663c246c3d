import { randomUUID } from 'node:crypto'
import { EventEmitter, once } from 'node:events'
import { type Address, parseEther } from 'viem'
import { beforeAll, describe, expect, it } from 'vitest'
import { startRpcProxy } from '../../../test/chain/rpc-proxy.js'
import { startTestChain } from '../../../test/chain/test-chain.js'
import { createTestDatabase } from '../../../test/database.js'
import { isRefusal } from '../../platform/errors.js'
import type { TransactionOrder } from '../accounts/ledger/chain/transaction-order.js'
import { walletOnNetwork } from '../accounts/wallets/wallets.js'
import { ensureApp } from '../apps/apps.js'
import { testVault } from '../signers/testing/approved-signer.js'
import { isRepeated, type OrderLedger, type OrderWait, submitOrders } from './orders.js'
import { spendingContext, walletWithEther } from './testing/spending-scene.js'

const { db } = await createTestDatabase()
const chain = await startTestChain()
const proxy = await startRpcProxy(chain.url)
const ledger = spendingContext(db, proxy).walletLedgers.get('base')!
const VALUE = parseEther('0.01')
let walletId: string
let receivers = 0

beforeAll(async () => {
  const appId = await ensureApp(db, 'payer')
  const named = await walletWithEther(db, chain, { appId, balance: parseEther('10') })
  const wallet = await walletOnNetwork(db, testVault, { wallet: named, network: ledger.network })
  walletId = wallet.id
})

/** Orders to receivers of their own. */
function newOrders(count: number): TransactionOrder[] {
  return Array.from({ length: count }, () => {
    receivers += 1
    const to: Address = `0x${receivers.toString(16).padStart(40, 'd')}`
    return { walletId, purpose: `test ${randomUUID()}`, call: { to, data: '0x' }, value: VALUE }
  })
}

const balanceOf = ({ call }: TransactionOrder) => chain.client.getBalance({ address: call.to })

/** A wait that ends long after the test. */
const afterBroadcast = (): OrderWait => ({
  untilMs: performance.now() + 60_000,
  forBlocks: false,
  retryText: 'again',
})

/** Refuses to estimate the gas of these orders. */
function failEstimatesOf(...orders: TransactionOrder[]): void {
  proxy.faults = {
    refuse: (method, [call]) => {
      const isTheirs = orders.some((order) => order.call.to === (call as { to?: string } | undefined)?.to)
      return method === 'eth_estimateGas' && isTheirs ? 'busy' : null
    },
  }
}

/** Settles transactions, and counts those that no final block includes. */
async function countOpen(): Promise<number> {
  await ledger.settlePending()
  return (await db`select from accounts.transactions where state = 'recorded'`).length
}

describe('submitOrders', () => {
  it('an RPC that fails for some of the orders -> these are refused, and sent by a repeated request', async () => {
    const orders = newOrders(10)
    failEstimatesOf(orders[1]!)
    const results = await submitOrders(ledger, orders, afterBroadcast())
    expect(results.map((result) => isRefusal(result))).toEqual(
      orders.map((_, index) => index === 1 || index >= 8),
    )
    expect(results[1]).toMatchObject({ code: 'unavailable.other_side' })
    proxy.faults = {}
    const again = await submitOrders(ledger, orders, afterBroadcast())
    expect(again.some((result) => isRefusal(result))).toBe(false)
    expect(again[0]).toMatchObject({ hash: (results[0] as { hash: string }).hash })
    await expect.poll(() => Promise.all(orders.map(balanceOf))).toEqual(orders.map(() => VALUE))
  })

  it('gives the ledger the time after which it records nothing', async () => {
    const orders = newOrders(2)
    const times: (number | undefined)[] = []
    const watched: OrderLedger = {
      submit: (order) => {
        times.push(order.untilMs)
        return ledger.submit(order)
      },
      settleWallet: (wallet) => ledger.settleWallet(wallet),
      readSubmitted: (each) => ledger.readSubmitted(each),
    }
    const wait = afterBroadcast()
    await submitOrders(watched, orders, wait)
    expect(times).toEqual([wait.untilMs, wait.untilMs])
  })

  it('a database that is full is not asked again for the whole time of the request', async () => {
    let submits = 0
    const full: OrderLedger = {
      settleWallet: (wallet) => ledger.settleWallet(wallet),
      readSubmitted: (each) => ledger.readSubmitted(each),
      submit: async () => {
        submits += 1
        throw Object.assign(new Error('no space left on device'), { code: '53100' })
      },
    }
    await expect(submitOrders(full, newOrders(1), afterBroadcast())).rejects.toMatchObject({ code: '53100' })
    expect(submits).toBe(1)
  })

  it('a database that fails otherwise after a connection was lost -> it is not said that nothing was recorded', async () => {
    const failures = [{ code: 'CONNECTION_CLOSED' }, { code: '57014' }]
    const lost: OrderLedger = {
      settleWallet: (wallet) => ledger.settleWallet(wallet),
      readSubmitted: (each) => ledger.readSubmitted(each),
      submit: async (order) => {
        const failure = failures.shift()
        if (failure === undefined) return await ledger.submit(order)
        throw Object.assign(new Error('away'), failure)
      },
    }
    expect(
      (await submitOrders(lost, newOrders(1), afterBroadcast())).some((result) => isRefusal(result)),
    ).toBe(false)
    expect(failures).toEqual([])
  })

  it('an RPC that fails for all orders -> throws, because nothing will be sent', async () => {
    const orders = newOrders(2)
    failEstimatesOf(...orders)
    await expect(submitOrders(ledger, orders, afterBroadcast())).rejects.toMatchObject({
      code: 'unavailable.other_side',
    })
    proxy.faults = {}
  })

  it('an RPC that fails after orders are recorded -> their hashes without receipts', async () => {
    // Nothing is signed while it is not known whose transactions have used the nonces before.
    await expect.poll(countOpen).toBe(0)
    const orders = newOrders(2)
    proxy.faults = {
      refuse: (method) => (['eth_blockNumber', 'eth_getTransactionReceipt'].includes(method) ? 'busy' : null),
    }
    const results = await submitOrders(ledger, orders, afterBroadcast())
    proxy.faults = {}
    expect(results).toEqual(orders.map(() => ({ hash: expect.stringMatching(/^0x/), receipt: null })))
    const again = await submitOrders(ledger, orders, { ...afterBroadcast(), forBlocks: true })
    expect(again).toMatchObject(
      results.map((result) => ({ hash: (result as { hash: string }).hash, receipt: { succeeded: true } })),
    )
  })

  it('orders that are final are not read again while another waits', async () => {
    const orders = newOrders(3)
    const last = orders[2]!
    const final = new Set<string>()
    const readAgain: string[] = []
    let roundsAlone = 0
    const purposes = new Map<number, string>()
    const counting: OrderLedger = {
      submit: async (order) => {
        const submitted = await ledger.submit(order)
        if ('id' in submitted) purposes.set(submitted.id, order.purpose)
        return submitted
      },
      settleWallet: (walletId) => ledger.settleWallet(walletId),
      readSubmitted: async (submitted) => {
        const purpose = purposes.get(submitted.id)!
        if (final.has(purpose)) readAgain.push(purpose)
        // Its block comes two rounds after those of the others.
        const isAlone = final.size === 2
        if (purpose === last.purpose && (!isAlone || roundsAlone < 2)) {
          if (isAlone) roundsAlone += 1
          return { hash: submitted.hash, receipt: null }
        }
        const read = await ledger.readSubmitted(submitted)
        if (read.receipt !== null) final.add(purpose)
        return read
      },
    }
    const wait = { ...afterBroadcast(), forBlocks: true }
    const results = await submitOrders(counting, orders, wait)
    expect(results).toMatchObject(orders.map(() => ({ receipt: { succeeded: true } })))
    expect([roundsAlone, readAgain]).toEqual([2, []])
  })

  it('an RPC that does not answer -> the hashes of recorded orders when the time is over', async () => {
    const orders = newOrders(2)
    proxy.faults = { dropsTransactions: true }
    const recorded = await submitOrders(ledger, orders, afterBroadcast())
    const held = new EventEmitter()
    proxy.faults = { hold: async () => void (await once(held, 'release')) }
    const again = await submitOrders(ledger, orders, {
      untilMs: performance.now() + 1_000,
      forBlocks: true,
      retryText: 'again',
    })
    held.emit('release')
    proxy.faults = {}
    expect(again).toEqual(recorded)
    expect(again).toEqual(orders.map(() => ({ hash: expect.stringMatching(/^0x/), receipt: null })))
  })

  it('a connection that is lost after the order was recorded -> its hash, and it is sent once', async () => {
    const orders = newOrders(1)
    let losses = 0
    const losing: OrderLedger = {
      submit: async (order) => {
        const submitted = await ledger.submit(order)
        losses += 1
        if (losses < 3)
          throw Object.assign(new Error('write CONNECTION_CLOSED'), { code: 'CONNECTION_CLOSED' })
        return submitted
      },
      settleWallet: (wallet) => ledger.settleWallet(wallet),
      readSubmitted: (each) => ledger.readSubmitted(each),
    }
    const results = await submitOrders(losing, orders, { ...afterBroadcast(), forBlocks: true })
    expect(results).toMatchObject([{ receipt: { succeeded: true } }])
    expect(await balanceOf(orders[0]!)).toBe(VALUE)
  })

  it('an order that may have been recorded when the time is over -> throws, and says what to repeat', async () => {
    const hanging: OrderLedger = {
      submit: () => new Promise(() => {}),
      settleWallet: (wallet) => ledger.settleWallet(wallet),
      readSubmitted: (each) => ledger.readSubmitted(each),
    }
    const wait = { ...afterBroadcast(), untilMs: performance.now() + 100 }
    await expect(submitOrders(hanging, newOrders(1), wait)).rejects.toMatchObject({
      code: 'unavailable',
      message: expect.stringContaining('again'),
    })
  })

  it('no time left -> throws, and records nothing', async () => {
    const orders = newOrders(2)
    const late = { untilMs: performance.now() - 1, forBlocks: true, retryText: 'again' }
    await expect(submitOrders(ledger, orders, late)).rejects.toMatchObject({ code: 'unavailable' })
    expect(await isRepeated(ledger, orders)).toBe(false)
  })
})
