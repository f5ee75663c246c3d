import { MessageData, validations } from '@farcaster/hub-nodejs'
import { expect, test } from 'vitest'
import { createTestDatabase } from '../../../test/database.js'
import { openHubGrpc } from '../../../test/hub-grpc.js'
import { TestUser, testNow } from '../../../test/network.js'

const { db } = await createTestDatabase()
const { hub, client } = await openHubGrpc(db)
const user = new TestUser(7)
await hub.submitOnChainEvents(user.onChain())

test('a message that is submitted comes back with the bytes that were signed, and holds for the published client', async () => {
  const cast = user.cast('hello', testNow)
  const merged = (await client.submitMessage({ ...cast, data: undefined }))._unsafeUnwrap()
  const found = (await client.getCast({ fid: 7, hash: cast.hash }))._unsafeUnwrap()
  expect(found).toEqual(merged)
  expect(Buffer.from(found.dataBytes!)).toEqual(cast.dataBytes)
  expect(found.data).toEqual(MessageData.decode(cast.dataBytes))
  expect((await validations.validateMessage(found)).isOk()).toBe(true)
})
