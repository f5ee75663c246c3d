import { expect, test } from 'vitest'
import { SelectedUsers } from '../../src/hub/sync/subset/selected-users.js'
import type { Database } from '../../src/platform/db/connection.js'
import { createTestDatabase } from '../database.js'
import { grantKey, keyOwnersOnChain, keyUser, userCustody } from '../gasless-keys.js'
import { createTestHub } from '../hub.js'
import { TestUser, testKey, testNow } from '../network.js'
import { followShard, logOf, startAtFirstEvent, upstreamOf } from './stub-upstream.js'

/** Creates a hub that knows the user of the keys, and not the app that asks for them. */
async function createHubWithoutApp() {
  const { db } = await createTestDatabase({ poolSize: 8 })
  const hub = await createTestHub(db)
  await hub.submitOnChainEvents(keyOwnersOnChain().filter(({ fid }) => fid === keyUser.fid))
  return { db, hub }
}

async function countOf(db: Database) {
  const [row] = await db`
    select
      (select count(*)::integer from hub.gasless_keys) as keys,
      (select count(*)::integer from hub.messages where set = 1) as casts
  `
  return row
}

test('a part of the network has keys that an app outside of it asked for, and what they sign', async () => {
  const { db, hub } = await createHubWithoutApp()
  const key = testKey('granted')
  const grant = await grantKey({ key })
  const cast = key.sign(keyUser.cast('by the key', testNow).data)
  const client = upstreamOf(logOf([{ messages: [grant], hasId: false }, { messages: [cast] }]))
  await startAtFirstEvent(db, client)
  const settings = { fids: [keyUser.fid], channelUrls: [], includeNeighbors: false }
  const selection = await SelectedUsers.open(db, settings)
  await followShard({ db, hub }, client, { selection })
  expect(await countOf(db)).toEqual({ keys: 1, casts: 1 })
})

test.each([
  ['a client grants a key for an app that is unknown here', false, 'local'],
  ['an upstream has a key for an app whose owner, known here, has not asked for it', true, 'log'],
] as const)('%s -> refused', async (_what, isKnown, origin) => {
  const { db, hub } = await createHubWithoutApp()
  if (isKnown) await hub.submitOnChainEvents(new TestUser(2).onChain())
  const [refusal] = await hub.submit([await grantKey({ requestedBy: userCustody })], { origin })
  expect(refusal?.message).toBe('requestSigner does not match custody address of requestFid')
  expect(await countOf(db)).toEqual({ keys: 0, casts: 0 })
})
