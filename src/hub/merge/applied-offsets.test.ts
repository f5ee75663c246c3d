import { expect, test } from 'vitest'
import { createTestDatabase } from '../../../test/database.js'
import { createTestHub } from '../../../test/hub.js'
import { nameTransfer, TestUser, testNow, testNowUnix } from '../../../test/network.js'
import { deleteAppliedOffsets } from './applied-offsets.js'

const { db } = await createTestDatabase()
const hub = await createTestHub(db, { shards: 2 })
const LOG = 'node.example:3383/1'

function at(...ids: readonly number[]) {
  return { sourceOffsets: ids.map((id) => ({ log: LOG, id })) }
}

async function codes(outcomes: ReturnType<typeof hub.submit>) {
  return (await outcomes).map((outcome) => outcome?.code ?? null)
}

test('an item of a known source offset -> duplicate, for every kind, in one call and in the next', async () => {
  const user = new TestUser(1)
  const events = user.onChain()
  expect(await codes(hub.submitOnChainEvents(events, at(1, 2, 3)))).toEqual([null, null, null])
  const name = nameTransfer('alice', 1, testNowUnix - 100)
  expect(await codes(hub.submitNameTransfers([name], at(4)))).toEqual([null])
  const [one, two, three] = ['one', 'two', 'three'].map((text) => user.cast(text, testNow - 10))
  expect(await codes(hub.submit([one!, two!], at(5, 5)))).toEqual([null, 'bad_request.duplicate'])
  expect(await codes(hub.submit([three!, two!], at(6, 5)))).toEqual([null, 'bad_request.duplicate'])
  const other = nameTransfer('bob', 1, testNowUnix - 50)
  expect(await codes(hub.submitNameTransfers([other], at(4)))).toEqual(['bad_request.duplicate'])
  expect(await codes(hub.submitOnChainEvents([user.storageRentEvent(1, 999)], at(3)))).toEqual([
    'bad_request.duplicate',
  ])
  // The same items from another log, or without an offset.
  const elsewhere = { sourceOffsets: [{ log: 'node.example:3383/2', id: 5 }] }
  expect(await codes(hub.submit([two!], elsewhere))).toEqual([null])
  expect(await codes(hub.submitNameTransfers([other]))).toEqual([null])
})

test('an item that misses a dependency can be submitted again under its offset', async () => {
  const user = new TestUser(2)
  const cast = user.cast('early', testNow - 10)
  expect(await codes(hub.submit([cast], at(20)))).toEqual(['bad_request.unknown_fid'])
  await hub.submitOnChainEvents(user.onChain())
  expect(await codes(hub.submit([cast], at(20)))).toEqual([null])
})

test('an offset that was deleted can be applied again', async () => {
  const user = new TestUser(3)
  await hub.submitOnChainEvents(user.onChain())
  await hub.submit([user.cast('a', testNow - 10)], at(30))
  await hub.submit([user.cast('b', testNow - 10)], at(31))
  await deleteAppliedOffsets(db, LOG, 31)
  const [c, d] = [user.cast('c', testNow - 10), user.cast('d', testNow - 10)]
  expect(await codes(hub.submit([c, d], at(30, 31)))).toEqual([null, 'bad_request.duplicate'])
})
