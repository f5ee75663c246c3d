import { expect, it } from 'vitest'
import { createTestDatabase } from '../../../../test/database.js'
import { createTestHub } from '../../../../test/hub.js'
import { testNowUnix } from '../../../../test/network.js'
import { createTestApi } from '../../../app/testing/test-api.js'
import { newPrivateKey } from '../../../hub/registry/eth-account.js'
import { testVault } from '../../signers/testing/approved-signer.js'
import { fundedWallet, LOCAL_PRICE } from '../testing/funded-wallet.js'
import { newAccount, registrationRequest } from '../testing/new-account.js'
import { saveWallet } from '../wallets/wallets.js'

const { db } = await createTestDatabase({ poolSize: 6 })
const hub = await createTestHub(db)
const clock = () => testNowUnix * 1000
const adminToken = 'the-admin-token-of-the-tests-0123456789'
const { app, appId, send, get } = await createTestApi({ db, hub, clock, adminToken })
const wallet = await fundedWallet(db, { appId, fidPoolSize: 1 })

async function admin(path: string) {
  const reply = await app.inject({
    url: `/admin/${path}`,
    headers: { authorization: `Bearer ${adminToken}` },
  })
  expect([reply.statusCode, reply.body]).toEqual([200, reply.body])
  return reply.json()
}

it('the pool, wallets, registrations and transactions are those of a registered account', async () => {
  const byWallet = { 'x-wallet-id': wallet.id }
  const { fid } = (await get('user/fid', {}, byWallet)).json()
  const body = await registrationRequest(newAccount(), { fid, deadline: testNowUnix + 3_600 })
  expect((await send('POST', 'user', { ...body, fname: 'newcomer' }, byWallet)).statusCode).toBe(200)
  await expect
    .poll(() => admin('accounts'))
    .toMatchObject({
      network: 'local',
      pool: { ordered: 0, held: 0, used: 1 },
      wallets: 1,
      pending_registrations: 0,
      pending_transactions: 0,
    })
  const { fids } = await admin('accounts/fids?state=used')
  expect(fids).toEqual([
    expect.objectContaining({ fid, state: 'used', paid_by: wallet.id, held_by: wallet.id }),
  ])
  const { registrations } = await admin('accounts/registrations?pending=false')
  expect(registrations).toEqual([
    expect.objectContaining({
      kind: 'user',
      fid,
      fname: 'newcomer',
      app: 'test',
      step: 'done',
      is_pending: false,
    }),
  ])
  expect((await admin('accounts/registrations?pending=true')).registrations).toEqual([])
  const { transactions } = await admin('accounts/transactions?state=confirmed')
  expect(transactions.length).toBeGreaterThanOrEqual(2)
  expect(transactions.at(-1)).toMatchObject({
    wallet_id: wallet.id,
    network: 'local',
    explorer_url: null,
    failure: null,
  })
  const { wallets } = await admin('accounts/wallets')
  expect(wallets).toEqual([
    expect.objectContaining({ id: wallet.id, app: 'test', balance_problem: null, fids_used: 1 }),
  ])
  expect(BigInt(wallets[0].balance)).toBeLessThan(100n * LOCAL_PRICE)
})

it('lists have pages', async () => {
  for (let count = 0; count < 2; count++) await fundedWallet(db, { appId })
  const first = await admin('accounts/wallets?limit=2')
  const second = await admin(`accounts/wallets?limit=2&cursor=${first.next.cursor}`)
  expect(second.next.cursor).toBeNull()
  const ids = [...first.wallets, ...second.wallets].map(({ id }) => id)
  expect(new Set(ids).size).toBe(3)
  const transactions = await admin('accounts/transactions?limit=1')
  const older = await admin(`accounts/transactions?limit=1&cursor=${transactions.next.cursor}`)
  expect(older.transactions[0].id).toBeLessThan(transactions.transactions[0].id)
})

it('a wallet whose network is not followed or does not answer says so, and the page is there', async () => {
  const save = (network: string) =>
    saveWallet(db, testVault, { appId, network, privateKey: newPrivateKey(), fidPoolSize: 0, balance: null })
  const [optimism, base] = [await save('eip155:10'), await save('eip155:8453')]
  const failing = {
    network: 'eip155:8453',
    available: () => Promise.reject(new Error('no endpoint answers')),
  }
  const walletLedgers = new Map([['base' as const, failing as never]])
  const other = await createTestApi({ db, hub, clock, adminToken, walletLedgers })
  const reply = await other.app.inject({
    url: '/admin/accounts/wallets',
    headers: { authorization: `Bearer ${adminToken}` },
  })
  const { wallets } = reply.json()
  const problemOf = (id: string) => wallets.find((each: { id: string }) => each.id === id)
  expect(problemOf(optimism.id)).toMatchObject({
    balance: null,
    balance_problem: 'this server does not follow eip155:10',
    explorer_url: expect.stringMatching(/^https:\/\/optimistic\.etherscan\.io\/address\/0x/),
  })
  expect(problemOf(base.id).balance_problem).toBe('eip155:8453 did not answer: no endpoint answers')
})
