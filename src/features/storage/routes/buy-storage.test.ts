import { parseEther } from 'viem'
import { describe, expect, it } from 'vitest'
import { startTestChain } from '../../../../test/chain/test-chain.js'
import { createTestDatabase } from '../../../../test/database.js'
import { createTestHub } from '../../../../test/hub.js'
import { TestUser, testNowUnix } from '../../../../test/network.js'
import { createTestApi } from '../../../app/testing/test-api.js'
import type { Accounts } from '../../accounts/accounts.js'
import type { AccountLedger, Purchase } from '../../accounts/ledger/account-ledger.js'
import { LocalLedger } from '../../accounts/ledger/local-ledger.js'
import { fundedWallet, LOCAL_PRICE } from '../../accounts/testing/funded-wallet.js'
import { spendingContext, walletWithEther } from '../../payments/testing/spending-scene.js'
import { buyStorage } from './storage.js'

const { db } = await createTestDatabase()
const hub = await createTestHub(db)
const api = await createTestApi({ db, hub, clock: () => testNowUnix * 1000 })
const wallet = await fundedWallet(db, { appId: api.appId, balance: 10n * LOCAL_PRICE })
await hub.submitOnChainEvents(new TestUser(7).onChain({ units: 1 }))
const buy = (body: object) => api.send('POST', 'storage/buy', body, { 'x-wallet-id': wallet.id })

it('rents once for each idem, and each time without', async () => {
  const first = await buy({ fid: 7, units: 2, idem: 'a' })
  expect(first.json()).toMatchObject({ total_active_units: 3, allocations: [{ units: 2 }, { units: 1 }] })
  expect((await buy({ fid: 7, units: 2, idem: 'a' })).json()).toMatchObject({ total_active_units: 3 })
  expect((await buy({ fid: 7, units: 1, idem: 'a' })).json()).toMatchObject({
    status: 409,
    code: 'Conflict',
    property: 'idem',
  })
  expect((await buy({ fid: 7 })).json()).toMatchObject({ total_active_units: 4 })
  expect((await buy({ fid: 7 })).json()).toMatchObject({ total_active_units: 5 })
})

it('an empty wallet or an unknown user -> refused', async () => {
  expect((await buy({ fid: 7, units: 50 })).json()).toMatchObject({ status: 402, code: 'InsufficientFunds' })
  expect((await buy({ fid: 8 })).json()).toMatchObject({ status: 404, property: 'fid' })
  expect((await api.send('POST', 'storage/buy', { fid: 7 })).json()).toMatchObject({ code: 'RequiredField' })
})

it('the ledger has until half a minute before the limit of the request, whose 503 has no idem', async () => {
  const purchases: Purchase[] = []
  const local = new LocalLedger({ db, hub, clock: () => testNowUnix * 1000 })
  const buyLocally = local.buy.bind(local)
  local.buy = async (purchase) => {
    purchases.push(purchase)
    return await buyLocally(purchase)
  }
  const noting = await createTestApi({ db, hub, accounts: { ledger: local } as unknown as Accounts })
  const { id } = await fundedWallet(db, { appId: noting.appId, balance: 10n * LOCAL_PRICE })
  const startMs = performance.now()
  const reply = await noting.send('POST', 'storage/buy', { fid: 7 }, { 'x-wallet-id': id })
  expect(reply.statusCode).toBe(200)
  const latestMs = performance.now() + buyStorage.longWait!.limitMs - 30_000
  expect(purchases).toEqual([expect.objectContaining({ untilMs: expect.any(Number) })])
  expect(purchases[0]!.untilMs).toBeGreaterThan(startMs)
  expect(purchases[0]!.untilMs).toBeLessThanOrEqual(latestMs)
})

describe('a purchase that no block includes in time', async () => {
  const chain = await startTestChain()
  const { walletLedgers } = spendingContext(db, chain, 10, AbortSignal.abort())
  const ledger: AccountLedger = walletLedgers.get('base')!
  const waiting = await createTestApi({ db, hub, accounts: { ledger } as Accounts })
  const { id } = await walletWithEther(db, chain, {
    appId: waiting.appId,
    balance: parseEther('1'),
    network: ledger.network,
  })
  const buyThere = (body: object) => waiting.send('POST', 'storage/buy', body, { 'x-wallet-id': id })
  const purchases = async () => {
    const [row] =
      await db`select count(*)::integer as count from accounts.transactions where wallet_id = ${id}`
    return row!.count
  }

  it('without idem -> 503 with the idem that continues it', async () => {
    const reply = await buyThere({ fid: 7 })
    expect(reply.statusCode, reply.body).toBe(503)
    const [, idem] = /send it again with the idem "([^"]+)"/.exec(reply.json().message)!
    expect(reply.json().message).toContain('without it, it would be bought again')
    expect((await buyThere({ fid: 7, idem })).statusCode).toBe(503)
    expect(await purchases()).toBe(1)
  })

  it('with idem -> 503 that asks for the same idem', async () => {
    const reply = await buyThere({ fid: 7, idem: 'mine' })
    expect([reply.statusCode, reply.json().message]).toEqual([
      503,
      expect.stringContaining('send it again with the same idem'),
    ])
  })
})
