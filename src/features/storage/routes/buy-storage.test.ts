import { expect, it } from 'vitest'
import { createTestDatabase } from '../../../../test/database.js'
import { createTestHub } from '../../../../test/hub.js'
import { TestUser, testNowUnix } from '../../../../test/network.js'
import { createTestApi } from '../../../app/testing/test-api.js'
import { fundedWallet, LOCAL_PRICE } from '../../accounts/testing/funded-wallet.js'

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
