import { beforeAll, beforeEach, expect, test } from 'vitest'
import { createTestDatabase } from '../../../../test/database.js'
import {
  appCustody,
  grantedKey,
  grantKey,
  keyOwnersOnChain,
  keyUser,
  removeKey,
  userCustody,
} from '../../../../test/gasless-keys.js'
import { testKey, testNow, testNowUnix } from '../../../../test/network.js'
import { MessageType } from '../../../protocol/definitions.js'
import type { SignedMessage } from '../../../protocol/message.js'
import { ensurePartitions } from '../../log/partitions.js'
import type { MergeBatch } from '../batch.js'
import { mergeBatch } from '../merge.js'

const { db } = await createTestDatabase()
const day = 86_400

beforeAll(() => ensurePartitions(db, testNowUnix * 1000))
beforeEach(async () => {
  await db.unsafe(`
    truncate hub.messages, hub.set_counts, hub.events, hub.onchain_events, hub.fids, hub.signers,
      hub.storage_rents, hub.shards, hub.gasless_keys, hub.key_nonces;
    insert into hub.shards (shard) values (1);
  `)
  await merge({ chainEvents: keyOwnersOnChain() })
})

async function merge(batch: Partial<MergeBatch>, atUnix = testNowUnix) {
  const whole = { messages: [], chainEvents: [], nameTransfers: [], ...batch }
  return await mergeBatch(db, 1, whole, { shards: 1, hooks: [] }, atUnix * 1000)
}

/** The text of the refusal; null if the message merged. */
async function submit(message: SignedMessage, atUnix = testNowUnix): Promise<string | null> {
  return (await merge({ messages: [message] }, atUnix)).messages[0]?.message ?? null
}

function byGrantedKey(message: SignedMessage): SignedMessage {
  return grantedKey.sign(message.data)
}

test('a gasless key signs the types in its scopes only', async () => {
  const cast = byGrantedKey(keyUser.cast('by the app', testNow))
  expect(await submit(cast)).toBe('invalid signer')
  expect(await submit(await grantKey())).toBeNull()
  expect(await submit(cast)).toBeNull()
  expect(await submit(byGrantedKey(keyUser.link(2, testNow)))).toBe(
    'message type 5 is not in the scope of the gasless signer',
  )
})

test('KEY_ADD needs the custody signatures of the user and of the app', async () => {
  expect(await submit(await grantKey({ by: appCustody }))).toBe('invalid signature')
  expect(await submit(await grantKey({ requestedBy: userCustody }))).toBe(
    'requestSigner does not match custody address of requestFid',
  )
})

test('a key expires after its ttl without use; use extends it', async () => {
  await submit(await grantKey({ ttl: day }))
  expect(
    await submit(byGrantedKey(keyUser.cast('half a day', testNow + day / 2)), testNowUnix + day / 2),
  ).toBeNull()
  expect(await submit(byGrantedKey(keyUser.cast('a day', testNow + day)), testNowUnix + day + 100)).toBeNull()
  const late = byGrantedKey(keyUser.cast('too late', testNow + 3 * day))
  expect(await submit(late, testNowUnix + 3 * day)).toBe(
    `gasless-key last_used_at expired: stored=${testNow + day} + ttl=${day} < current_block_timestamp=${testNow + 3 * day}`,
  )
})

test('a nonce can be used once, and only larger ones after it', async () => {
  const first = await grantKey({ nonce: 5 })
  expect(await submit(first)).toBeNull()
  expect(await submit(first)).toBe('gasless-key nonce 5 is not greater than stored nonce 5')
  expect(await submit(await removeKey(5, 1))).toBe('gasless-key nonce 5 is not greater than stored nonce 5')
  expect(await submit(await removeKey(6, 1))).toBeNull()
  expect(await submit(await grantKey({ nonce: 6 }))).toBe(
    'gasless-key nonce 6 is not greater than stored nonce 6',
  )
  expect(await submit(await grantKey({ nonce: 7 }))).toBeNull()
})

test('KEY_REMOVE signed by the key itself removes it', async () => {
  await submit(await grantKey())
  expect(await submit(await removeKey(1, 2))).toBeNull()
  expect(await submit(byGrantedKey(keyUser.cast('gone', testNow)))).toBe('invalid signer')
  expect(await db`select 1 from hub.messages where set = 8`).toHaveLength(0)
  expect(await submit(await removeKey(2, 2))).toBe('key is not registered for this fid')
})

test.each([
  ['that key', grantedKey],
  ['another signer of the fid', keyUser.key],
])('KEY_ADD of an active on-chain signer, signed by %s -> refused', async (_signer, key) => {
  await merge({ chainEvents: [keyUser.signerEvent(1, 9000, grantedKey.publicKey)] })
  const message = await grantKey()
  expect(await submit(key.sign(message.data))).toBe('key is already registered onchain for this fid')
  expect(await db`select 1 from hub.gasless_keys`).toHaveLength(0)
})

test('key messages of one batch merge by nonce, whatever their timestamps', async () => {
  const [first, second] = [testKey('first'), testKey('second')]
  const messages = [
    await grantKey({ key: second, nonce: 2, at: testNow - 300 }),
    second.sign(keyUser.cast('by the second', testNow - 290).data),
    await grantKey({ key: first, nonce: 1, at: testNow }),
    await removeKey(3, 1, { key: first, at: testNow - 400 }),
  ]
  const { messages: outcomes } = await merge({ messages })
  // The cast comes again, as one that arrives before its key.
  expect(outcomes.map((outcome) => outcome?.message ?? null)).toEqual([null, 'invalid signer', null, null])
  expect(await db`select key from hub.gasless_keys`).toEqual([{ key: second.publicKey }])
})

test('removals by keys of one app merge by nonce, whatever their timestamps', async () => {
  const [first, second] = [testKey('first'), testKey('second')]
  await submit(await grantKey({ key: first, nonce: 1 }))
  await submit(await grantKey({ key: second, nonce: 2 }))
  const messages = [
    await removeKey(2, 2, { key: second, at: testNow - 300 }),
    await removeKey(1, 2, { key: first }),
  ]
  expect((await merge({ messages })).messages).toEqual([null, null])
})

test('a key signs messages of its batch that are later than it', async () => {
  const messages = [
    await grantKey({ at: testNow - 10 }),
    byGrantedKey(keyUser.cast('before', testNow - 11)),
    byGrantedKey(keyUser.cast('between', testNow - 9)),
    await removeKey(2, 1, { at: testNow - 5 }),
    byGrantedKey(keyUser.cast('after', testNow)),
  ]
  const { messages: outcomes } = await merge({ messages })
  expect(outcomes.map((outcome) => outcome?.message ?? null)).toEqual([
    null,
    'invalid signer',
    null,
    null,
    'invalid signer',
  ])
})

/** Merges a grant with the given messages before it in one batch, and a cast of the granted key. */
async function grantBeside(grant: SignedMessage, beside: SignedMessage): Promise<(string | null)[]> {
  const cast = byGrantedKey(keyUser.cast('by the app', testNow))
  const { messages } = await merge({ messages: [beside, grant, cast] })
  return messages.map((outcome) => outcome?.message ?? null)
}

const later = testNow + 600

test('a KEY_ADD of somebody else for the same user does not delay a grant of the batch', async () => {
  const forged = await grantKey({ key: testKey('forged'), by: appCustody, nonce: 1, at: later })
  expect(await grantBeside(await grantKey({ nonce: 5 }), forged)).toEqual(['invalid signature', null, null])
})

test('a KEY_ADD that merged before and is sent again with a later time does not delay a grant of the batch', async () => {
  const old = await grantKey({ key: testKey('old'), nonce: 1 })
  expect(await submit(old)).toBeNull()
  const again = keyUser.key.sign({ ...old.data, timestamp: testNow + 50 })
  const outcomes = await grantBeside(await grantKey({ nonce: 5 }), again)
  expect(outcomes).toEqual([expect.stringMatching(/^gasless-key nonce 1 is not greater/), null, null])
})

test('the body of a KEY_ADD in a message of another type does not delay a grant of the batch', async () => {
  const { data } = await grantKey({ key: testKey('old'), nonce: 1, at: later })
  const disguised = keyUser.key.sign({ ...data, type: MessageType.CAST_ADD })
  const outcomes = await grantBeside(await grantKey({ nonce: 5 }), disguised)
  expect(outcomes).toEqual([expect.any(String), null, null])
})
