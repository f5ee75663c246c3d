import { randomUUID } from 'node:crypto'
import { EventEmitter, once } from 'node:events'
import { expect, it } from 'vitest'
import { createTestDatabase } from '../../../../test/database.js'
import { createTestHub } from '../../../../test/hub.js'
import { testKey, testNowUnix } from '../../../../test/network.js'
import { createTestApi } from '../../../app/testing/test-api.js'
import { silentLog } from '../../../platform/log/log.js'
import { FarcasterNetwork } from '../../../protocol/definitions.js'
import { testVault } from '../../signers/testing/approved-signer.js'
import { registerKeyHolder } from '../../signers/testing/key-holder.js'
import { createAccounts } from '../accounts.js'
import { LocalLedger } from '../ledger/local-ledger.js'
import { accountDetails } from '../registration/account-details.js'
import { directRequest } from '../testing/direct-request.js'
import { fundedWallet, LOCAL_PRICE } from '../testing/funded-wallet.js'
import { newAccount } from '../testing/new-account.js'

const { db } = await createTestDatabase()
const hub = await createTestHub(db)
const clock = () => testNowUnix * 1000
const api = await createTestApi({ db, hub, clock })
const wallet = await fundedWallet(db, { appId: api.appId, balance: 20n * LOCAL_PRICE })
const app = await registerKeyHolder({ db, hub, clock })
const deadline = testNowUnix + 3_600
const register = (body: object) => api.send('POST', 'user/register', body, { 'x-wallet-id': wallet.id })
const keys = [testKey('first key'), testKey('second key')]
const purchases = async () => (await db`select from accounts.transactions`).length

it('registers an account with keys and storage once', async () => {
  const user = newAccount()
  const body = { ...(await directRequest(user, { app, keys, deadline })), storage_units: 2, idem: 'mine' }
  const reply = await register(body)
  expect(reply.json()).toMatchObject({
    message: 'the account is registered',
    transaction_hash: expect.stringMatching(/^0x[\da-f]{64}$/),
    user: { custody_address: user.signer.address.toLowerCase() },
  })
  const { fid } = reply.json().user
  const active = await db<
    { key: Buffer }[]
  >`select key from hub.signers where fid = ${fid} and active order by key`
  expect(active.map(({ key }) => key)).toEqual(keys.map(({ publicKey }) => publicKey).sort(Buffer.compare))
  expect((await api.get('storage/allocations', { fid })).json()).toMatchObject({ total_active_units: 3 })
  const before = await purchases()
  expect((await register(body)).json()).toEqual(reply.json())
  expect(await purchases()).toBe(before)
  expect((await register({ ...body, storage_units: 1 })).json()).toMatchObject({
    code: 'Conflict',
    property: 'idem',
  })
})

it('concurrent equal requests without idem -> one registration', async () => {
  const body = await directRequest(newAccount(), { app, keys: [testKey('third key')], deadline })
  const [one, other] = await Promise.all([register(body), register(body)])
  expect(one.statusCode).toBe(200)
  expect(other.json()).toEqual(one.json())
})

it('a copy of a request that is checked when the other has registered -> the same reply', async () => {
  const gate = new EventEmitter()
  class HeldLedger extends LocalLedger {
    override async fidOf(address: Buffer): Promise<number | null> {
      const opened = once(gate, 'open')
      gate.emit('checking')
      await opened
      return await super.fidOf(address)
    }
  }
  const parts = { db, writerDb: db, hub, clock, vault: testVault, network: FarcasterNetwork.DEVNET }
  const accounts = createAccounts({
    ...{ db, vault: testVault, worker: randomUUID(), clock, log: silentLog },
    ledger: new HeldLedger(parts),
    services: accountDetails(parts),
  })
  const held = await createTestApi({ db, hub, clock, accounts })
  const body = await directRequest(newAccount(), { app, keys: [testKey('fourth key')], deadline })
  const checking = once(gate, 'checking')
  const copy = held.send('POST', 'user/register', body, { 'x-wallet-id': wallet.id })
  await checking
  const first = await register(body)
  gate.emit('open')
  expect(first.statusCode).toBe(200)
  expect((await copy).json()).toEqual(first.json())
})

it('what the contracts would refuse -> refused before a payment', async () => {
  const user = newAccount()
  const good = await directRequest(user, { app, keys, deadline })
  const { registration, signers } = good
  const [first, second] = signers
  const soon = await directRequest(user, { app, keys, deadline, requestDeadline: testNowUnix + 299 })
  const before = await purchases()
  const refused: [object, string][] = [
    [{ registration: { ...registration, deadline: 1 } }, 'registration.deadline'],
    [{ registration: { ...registration, recovery_address: user.signer.address } }, 'registration.signature'],
    [{ signers: [second, first] }, 'signers.0.signature'],
    [{ signers: [{ ...first, metadata: '0x00' }] }, 'signers.0.metadata'],
    [{ signers: [{ ...first, metadata: second!.metadata }] }, 'signers.0.metadata'],
    // Keys are added when the registration is final.
    [{ signers: soon.signers }, 'signers.0.metadata'],
    [{ pre_registration_calls: [{ target: user.signer.address, data: '0x00' }] }, 'pre_registration_calls'],
  ]
  for (const [change, property] of refused) {
    expect((await register({ ...good, ...change })).json()).toMatchObject({ code: 'InvalidField', property })
  }
  const taken = await directRequest(app.account, { app, keys: [], deadline })
  expect((await register(taken)).json()).toMatchObject({
    code: 'Conflict',
    property: 'registration.custody_address',
  })
  expect((await register({ ...good, storage_units: 900 })).json()).toMatchObject({
    code: 'InsufficientFunds',
  })
  expect(await purchases()).toBe(before)
  expect((await register(good)).statusCode).toBe(200)
})
