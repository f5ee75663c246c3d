import { expect, test } from 'vitest'
import { createTestDatabase } from '../../../test/database.js'
import { createTestHub } from '../../../test/hub.js'
import { nameTransfer, TestUser, testNow, testNowUnix } from '../../../test/network.js'
import type { OnChainEvent, UserNameProof } from '../../protocol/definitions.js'
import type { SignedMessage } from '../../protocol/message.js'
import { deleteAppliedOffsets } from './applied-offsets.js'
import type { MergeItem } from './shard-writer.js'

const { db } = await createTestDatabase()
const hub = await createTestHub(db, { shards: 2 })
const LOG = 'node.example:3383/1'

/** Submits items under offsets of a log; returns the codes of the refusals. */
async function codes(items: readonly MergeItem[], ids: readonly number[] = [], log = LOG) {
  const submitted = items.map((item, index) => ({
    ...item,
    sourceOffset: ids[index] === undefined ? undefined : { log, id: ids[index] },
  }))
  return (await hub.submitItems(submitted)).map((outcome) => outcome?.code ?? null)
}

const inMessages = (...messages: SignedMessage[]) =>
  messages.map((message) => ({ kind: 'message', message }) as const)
const inEvents = (...events: OnChainEvent[]) =>
  events.map((event) => ({ kind: 'chainEvent', event }) as const)
const inNames = (...proofs: UserNameProof[]) =>
  proofs.map((proof) => ({ kind: 'nameTransfer', proof }) as const)

test('an item of a known source offset -> duplicate, for every kind, in one call and in the next', async () => {
  const user = new TestUser(1)
  const events = user.onChain()
  expect(await codes(inEvents(...events), [1, 2, 3])).toEqual([null, null, null])
  const name = nameTransfer('alice', 1, testNowUnix - 100)
  expect(await codes(inNames(name), [4])).toEqual([null])
  const [one, two, three] = ['one', 'two', 'three'].map((text) => user.cast(text, testNow - 10))
  expect(await codes(inMessages(one!, two!), [5, 5])).toEqual([null, 'bad_request.duplicate'])
  expect(await codes(inMessages(three!, two!), [6, 5])).toEqual([null, 'bad_request.duplicate'])
  const other = nameTransfer('bob', 1, testNowUnix - 50)
  expect(await codes(inNames(other), [4])).toEqual(['bad_request.duplicate'])
  expect(await codes(inEvents(user.storageRentEvent(1, 999)), [3])).toEqual(['bad_request.duplicate'])
  // The same items from another log, or without an offset.
  expect(await codes(inMessages(two!), [5], 'node.example:3383/2')).toEqual([null])
  expect(await codes(inNames(other))).toEqual([null])
})

test('an item that misses a dependency can be submitted again under its offset', async () => {
  const user = new TestUser(2)
  const cast = user.cast('early', testNow - 10)
  expect(await codes(inMessages(cast), [20])).toEqual(['bad_request.validation_failure'])
  await hub.submitOnChainEvents(user.onChain())
  expect(await codes(inMessages(cast), [20])).toEqual([null])
})

test('an offset that was deleted can be applied again', async () => {
  const user = new TestUser(3)
  await hub.submitOnChainEvents(user.onChain())
  await codes(inMessages(user.cast('a', testNow - 10)), [30])
  await codes(inMessages(user.cast('b', testNow - 10)), [31])
  await deleteAppliedOffsets(db, LOG, 31)
  const [c, d] = [user.cast('c', testNow - 10), user.cast('d', testNow - 10)]
  expect(await codes(inMessages(c, d), [30, 31])).toEqual([null, 'bad_request.duplicate'])
})
