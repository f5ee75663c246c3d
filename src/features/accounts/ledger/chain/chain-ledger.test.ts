import { randomUUID } from 'node:crypto'
import { encodeFunctionData, erc20Abi, type Hex, parseEther } from 'viem'
import { afterAll, beforeEach, describe, expect, it } from 'vitest'
import { ledgerOn, walletOn } from '../../../../../test/chain/account-chain.js'
import { startRpcProxy } from '../../../../../test/chain/rpc-proxy.js'
import { startTestChain } from '../../../../../test/chain/test-chain.js'
import { createTestDatabase } from '../../../../../test/database.js'
import { isRefusal } from '../../../../platform/errors.js'
import { hexOf } from '../../../../protocol/bytes.js'
import { passTime } from '../../testing/pass-time.js'
import type { Wallet } from '../../wallets/wallets.js'
import type { Purchase } from '../account-ledger.js'
import type { ChainLedger } from './chain-ledger.js'

const { db } = await createTestDatabase({ poolSize: 8 })
const chain = await startTestChain()
const proxy = await startRpcProxy(chain.url)
let nowMs = Date.now()
const hub = { submitOnChainEvents: async () => [] }
const STUCK_MS = 60_000
const newLedger = () => ledgerOn(proxy.url, { db, hub, clock: () => nowMs }, { stuckMs: STUCK_MS })
const newWallet = () => walletOn(chain, db, { balance: parseEther('1') })
const inMs = (ms: number) => performance.now() + ms

let release = () => {}
/** Holds these requests: the RPC does not answer them until they are released. */
function holdRequests(isHeld: (method: string, params: readonly unknown[]) => boolean): void {
  const released = new Promise<void>((resolve) => {
    release = resolve
  })
  proxy.faults = { hold: (method, params) => (isHeld(method, params) ? released : Promise.resolve()) }
}
function recover(): void {
  proxy.faults = {}
  release()
}
beforeEach(recover)
afterAll(recover)

function rentBy(wallet: Wallet, options: Partial<Purchase> = {}): Purchase {
  return {
    walletId: wallet.id,
    purpose: `test ${randomUUID()}`,
    call: { kind: 'rent', fid: 7, units: 1 },
    ...options,
  }
}

const isRecorded = async ({ purpose }: Purchase) =>
  (await db`select from accounts.transactions where purpose = ${purpose}`).length > 0

describe('buy with a time limit', () => {
  const retryText = 'repeat it with this idem'
  const unfinished = { code: 'unavailable', message: expect.stringContaining(retryText) }

  it('an RPC that does not answer after the purchase is recorded -> how to continue it, in time', async () => {
    const [ledger, wallet] = [newLedger(), await newWallet()]
    let sends = 0
    holdRequests((method) => {
      if (method === 'eth_sendRawTransaction') sends += 1
      return sends > 0
    })
    const purchase = rentBy(wallet, { retryText, untilMs: inMs(6_000) })
    await expect(ledger.buy(purchase)).rejects.toMatchObject(unfinished)
    expect([sends, await isRecorded(purchase)]).toEqual([1, true])
  })

  it('an RPC that fails after the purchase is recorded -> how to continue it', async () => {
    const [ledger, wallet] = [newLedger(), await newWallet()]
    proxy.faults = { refuse: (method) => (method === 'eth_blockNumber' ? 'busy' : null) }
    const purchase = rentBy(wallet, { retryText })
    await expect(ledger.buy(purchase)).rejects.toMatchObject(unfinished)
    expect(await isRecorded(purchase)).toBe(true)
  })

  it('an RPC that answers when the time is over -> nothing is recorded afterwards', async () => {
    const [ledger, wallet] = [newLedger(), await newWallet()]
    // The balance is asked last, under the lock of the wallet.
    holdRequests((method) => method === 'eth_getBalance')
    const late = rentBy(wallet, { retryText, untilMs: inMs(1_000) })
    await expect(ledger.buy(late)).rejects.toMatchObject(unfinished)
    recover()
    // Its own turn comes after the turn of the late one.
    expect(await ledger.buy(rentBy(wallet))).toMatchObject({ hash: expect.any(Buffer) })
    expect(await isRecorded(late)).toBe(false)
  })

  it('no time left -> nothing is asked or recorded; what is recorded already is continued', async () => {
    const [ledger, wallet] = [newLedger(), await newWallet()]
    const late = rentBy(wallet, { retryText, untilMs: inMs(-1) })
    const asked = proxy.requestCounts.get('eth_estimateGas')
    await expect(ledger.buy(late)).rejects.toMatchObject(unfinished)
    expect(proxy.requestCounts.get('eth_estimateGas')).toBe(asked)
    const { untilMs: _over, ...inTime } = late
    const bought = await ledger.buy(inTime)
    expect(await ledger.buy(late)).toEqual(bought)
  })
})

it('submit: of two transfers at once that the wallet cannot pay both, one is refused', async () => {
  const [ledger, wallet] = [newLedger(), await newWallet()]
  const token = chain.addresses.token.toLowerCase() as Hex
  const mint = { contract: 'Token', address: token, functionName: 'mint' }
  await chain.send(chain.account(0), { ...mint, args: [hexOf(wallet.address), 100n] })
  const args = [chain.account(1).address, 60n] as const
  const order = () => ({
    walletId: wallet.id,
    purpose: `test ${randomUUID()}`,
    call: { to: token, data: encodeFunctionData({ abi: erc20Abi, functionName: 'transfer', args }) },
    value: 0n,
  })
  // Both are estimated before either is recorded, and nothing is sent.
  const results = await Promise.all([ledger.submit(order()), ledger.submit(order())])
  expect(results.filter((result) => 'hash' in result)).toHaveLength(1)
  expect(results.filter((result) => isRefusal(result))).toMatchObject([{ code: 'insufficient_funds' }])
})

describe('a call that the chain does not take', () => {
  const gasOf = (gas: bigint) => (method: string, result: unknown) =>
    method === 'eth_estimateGas' ? `0x${gas.toString(16)}` : result

  it('more gas than a transaction may have -> refused, and later ones are sent', async () => {
    const [ledger, wallet] = [newLedger(), await newWallet()]
    proxy.faults = { alterResult: gasOf(2n ** 24n + 1n) }
    const purchase = rentBy(wallet)
    expect(await ledger.buy(purchase)).toEqual({
      code: 'conflict',
      message: 'the call needs more than 16777216 gas, the most of a transaction: ask for less in one',
    })
    expect(await isRecorded(purchase)).toBe(false)
    recover()
    expect(await ledger.buy(rentBy(wallet))).toMatchObject({ hash: expect.any(Buffer) })
  })

  it('a node that allows less gas to any call -> the same for a wallet that could pay the most', async () => {
    const ledger = newLedger()
    const tooMuch = 'gas required exceeds allowance (50000000)'
    proxy.faults = { refuse: (method) => (method === 'eth_estimateGas' ? tooMuch : null) }
    expect(await ledger.buy(rentBy(await walletOn(chain, db, { balance: parseEther('4') })))).toMatchObject({
      code: 'conflict',
    })
    expect(await ledger.buy(rentBy(await walletOn(chain, db, { balance: 1n })))).toMatchObject({
      code: 'insufficient_funds',
    })
  })

  it('the margin above an estimate ends at the most of a transaction', async () => {
    const [ledger, wallet] = [newLedger(), await walletOn(chain, db, { balance: parseEther('4') })]
    proxy.faults = { alterResult: gasOf(16_000_000n) }
    const { hash } = (await ledger.buy(rentBy(wallet))) as { hash: Buffer }
    const { gas } = await chain.client.getTransaction({ hash: hexOf(hash) })
    // Less by up to 1,023, since the last digits are the tag of the purpose.
    expect([gas <= 2n ** 24n, gas > 2n ** 24n - 1_024n]).toEqual([true, true])
  })

  it('an RPC that has stalled refuses it -> the one with the newest block decides', async () => {
    const stalled = await startRpcProxy(chain.url)
    const ledger = ledgerOn(`${stalled.url},${proxy.url}`, { db, hub, clock: () => nowMs })
    await chain.mine(3)
    const refuse = (method: string) => (method === 'eth_estimateGas' ? 'execution reverted' : null)
    stalled.faults = { blocksBehind: 2, refuse }
    const transfer = async () => {
      const wallet = await newWallet()
      const call = { to: hexOf(wallet.address), data: '0x' as const }
      return await ledger.submit({ walletId: wallet.id, purpose: `test ${randomUUID()}`, call, value: 1n })
    }
    expect(await transfer()).toMatchObject({ hash: expect.any(String) })
    // Both refuse it.
    proxy.faults = { refuse }
    expect(await transfer()).toMatchObject({ code: 'conflict' })
  })
})

describe('wallets of several apps', () => {
  it('a purchase whose time was over while it waited for its turn asks the chain nothing then', async () => {
    const ledger = newLedger()
    const [slow, other] = [await newWallet(), await newWallet()]
    let asked = () => {}
    const isAsked = new Promise<void>((resolve) => {
      asked = resolve
    })
    let asksOfOther = 0
    holdRequests((method, [address]) => {
      if (method !== 'eth_getBalance') return false
      if (address === hexOf(slow.address)) asked()
      else asksOfOther += 1
      return address === hexOf(slow.address)
    })
    const first = ledger.buy(rentBy(slow))
    await isAsked
    await expect(ledger.buy(rentBy(other, { untilMs: inMs(1_000) }))).rejects.toThrow('took too long')
    release()
    await first
    await ledger.buy(rentBy(other))
    expect(asksOfOther).toBe(1)
  })

  /** Records a purchase of a wallet, and sends nothing. */
  async function recordOnly(ledger: ChainLedger, wallet: Wallet): Promise<Purchase> {
    const purchase = rentBy(wallet)
    proxy.faults = { refuse: (method) => (method === 'eth_blockNumber' ? 'busy' : null) }
    await ledger.buy(purchase).catch(() => {})
    proxy.faults = {}
    expect(await isRecorded(purchase)).toBe(true)
    return purchase
  }

  it('a transaction signed by a server whose clock is an hour ahead is replaced when it is stuck', async () => {
    const ahead = ledgerOn(proxy.url, { db, hub, clock: () => nowMs + 3_600_000 })
    const [ledger, wallet] = [newLedger(), await newWallet()]
    const { purpose } = await recordOnly(ahead, wallet)
    const countAttempts = async () =>
      (
        await db`
          select from accounts.attempts a join accounts.transactions t on t.id = a.transaction_id
          where t.purpose = ${purpose}`
      ).length
    proxy.faults = { dropsTransactions: true }
    await ledger.settleWallet(wallet.id)
    expect(await countAttempts()).toBe(1)
    nowMs += STUCK_MS
    await passTime(db, STUCK_MS)
    await ledger.settleWallet(wallet.id)
    expect(await countAttempts()).toBe(2)
  })

  it('one whose transactions cannot be checked does not hold up another', async () => {
    const ledger = newLedger()
    const [halted, other] = [await newWallet(), await newWallet()]
    await recordOnly(ledger, halted)
    let asked = () => {}
    const isAsked = new Promise<void>((resolve) => {
      asked = resolve
    })
    holdRequests((method, [address]) => {
      const isHeld = method === 'eth_getTransactionCount' && address === hexOf(halted.address)
      if (isHeld) asked()
      return isHeld
    })
    const checked = ledger.settlePending().catch(() => {})
    await isAsked
    expect(await ledger.buy(rentBy(other))).toMatchObject({ hash: expect.any(Buffer) })
    recover()
    await checked
  })

  it('one whose check fails is reported, when the others are checked', async () => {
    const ledger = newLedger()
    const [broken, other] = [await newWallet(), await newWallet()]
    await recordOnly(ledger, broken)
    const purchase = await recordOnly(ledger, other)
    proxy.faults = {
      refuse: (method, [address]) =>
        method === 'eth_getTransactionCount' && address === hexOf(broken.address) ? 'busy' : null,
    }
    await expect
      .poll(async () => {
        await expect(ledger.settlePending()).rejects.toMatchObject({ code: 'unavailable.other_side' })
        return await db`select state from accounts.transactions where purpose = ${purchase.purpose}`
      })
      .toEqual([{ state: 'confirmed' }])
  })

  it('many transactions of one -> a check sends the 32 lowest nonces, and the next ones the rest', async () => {
    const [ledger, wallet] = [newLedger(), await newWallet()]
    const call = { to: hexOf(wallet.address), data: '0x' as const }
    const sent: Hex[] = []
    for (let n = 0; n < 40; n += 1)
      await ledger.submit({ walletId: wallet.id, purpose: `test ${randomUUID()}`, call, value: 1n })
    proxy.faults = {
      dropsTransactions: true,
      hold: async (method, [raw]) => void (method === 'eth_sendRawTransaction' && sent.push(raw as Hex)),
    }
    await ledger.settlePending()
    const rows = await db<{ raw: Buffer }[]>`
      select a.raw from accounts.attempts a join accounts.transactions t on t.id = a.transaction_id
      where t.wallet_id = ${wallet.id} order by t.nonce`
    const own = rows.map(({ raw }) => hexOf(raw))
    // Other tests have left transactions of other wallets.
    expect(sent.filter((raw) => own.includes(raw))).toEqual(own.slice(0, 32))
    proxy.faults = {}
    // Sent ones are sent again after a while.
    nowMs += 10_000
    // The chain's blocks come a moment after its answers.
    await expect
      .poll(async () => {
        await ledger.settlePending()
        return await db`
          select from accounts.transactions where wallet_id = ${wallet.id} and state = 'recorded'`
      })
      .toEqual([])
  })
})
