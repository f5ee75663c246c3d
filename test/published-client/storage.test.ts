import { isApiErrorResponse } from '@neynar/nodejs-sdk'
import { expect, it } from 'vitest'
import { nameTransfer, TestUser, testNow, testNowUnix } from '../network.js'
import { connectClient, serveApi } from './served-api.js'

const { hub, client, url } = await serveApi()

const alice = new TestUser(7)
const noRefusal = [null, null, null]
expect(await hub.submitOnChainEvents(alice.onChain({ units: 3 }))).toEqual(noRefusal)
expect(await hub.submitNameTransfers([nameTransfer('alice', 7, testNowUnix - 500)])).toEqual([null])
expect(
  await hub.submit([1, 2, 3].map((seconds) => alice.cast(`cast ${seconds}`, testNow - seconds))),
).toEqual(noRefusal)

it('tells whether a name is free', async () => {
  expect(await client.isFnameAvailable({ fname: 'alice' })).toEqual({ available: false })
  expect(await client.isFnameAvailable({ fname: 'bob' })).toEqual({ available: true })
})

it('shows the storage that was rented', async () => {
  const { total_active_units, allocations } = await client.lookupUserStorageAllocations({ fid: 7 })
  expect(total_active_units).toBe(3)
  expect(allocations).toMatchObject([
    { units: 3, user: { fid: 7 }, timestamp: new Date((testNowUnix - 1000) * 1000).toISOString() },
  ])
})

it('shows how much of it is used', async () => {
  expect(await client.lookupUserStorageUsage({ fid: 7 })).toMatchObject({
    user: { fid: 7, custody_address: `0x${alice.custody.toString('hex')}` },
    total_active_units: 3,
    casts: { used: 3, capacity: 300 },
    links: { used: 0, capacity: 600 },
    signers: { used: 1 },
  })
})

it('fails with the body and the status that the client knows', async () => {
  const refused = await client.lookupUserStorageUsage({ fid: 8 }).catch((error: unknown) => error)
  expect(isApiErrorResponse(refused) && refused.response).toMatchObject({
    status: 404,
    data: { message: 'there is no user with fid 8', property: 'fid' },
  })
  const stranger = connectClient(url, 'no-key').isFnameAvailable({ fname: 'bob' })
  await expect(stranger).rejects.toMatchObject({ response: { status: 401 } })
})
