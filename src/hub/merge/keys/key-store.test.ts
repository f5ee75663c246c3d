import { beforeEach, expect, test } from 'vitest'
import { createTestDatabase } from '../../../../test/database.js'
import { TestUser, testKey, testNow } from '../../../../test/network.js'
import { MessageType } from '../../../protocol/definitions.js'
import { recoverKeyClaims } from './key-claims.js'
import { type GaslessKey, KeyState, NonceKind } from './key-state.js'
import { loadKeys, writeKeys } from './key-store.js'

const { db } = await createTestDatabase()
const user = new TestUser(1)
const granted = testKey('granted').publicKey
const scopes = [MessageType.CAST_ADD, MessageType.LINK_ADD]
const key: GaslessKey = { key: granted, fid: 1, requestFid: 2, scopes, ttlSeconds: 60, lastUsedAt: testNow }

beforeEach(() => db.unsafe('delete from hub.gasless_keys; delete from hub.key_nonces'))

/** A removal signed by the user's own key: the other key is only named in its body. */
const keyRemove = user.message(
  {
    type: MessageType.KEY_REMOVE,
    keyRemoveBody: {
      key: granted,
      signature: Buffer.alloc(65),
      signatureType: 1,
      deadline: testNow,
      nonce: 1,
    },
  },
  testNow,
)
const keyAdd = user.message(
  {
    type: MessageType.KEY_ADD,
    keyAddBody: {
      key: granted,
      keyType: 1,
      custodySignature: Buffer.alloc(65),
      deadline: testNow,
      nonce: 1,
      metadata: Buffer.alloc(0),
      metadataType: 1,
      registrationTxHash: Buffer.alloc(0),
      scopes,
      ttl: 60,
    },
  },
  testNow,
)

const load = (...messages: Parameters<typeof loadKeys>[1]) =>
  db.begin((transaction) => loadKeys(transaction, messages, new Map()))

async function write(change: (state: KeyState) => void, state = new KeyState()): Promise<void> {
  change(state)
  await db.begin((transaction) => writeKeys(transaction, state))
}

test('a batch loads the keys and nonces that an earlier one wrote', async () => {
  const other = { ...key, key: testKey('other').publicKey }
  await write((state) => {
    state.set(key)
    state.set(other)
    state.consumeNonce(NonceKind.user, 1, 5)
    state.consumeNonce(NonceKind.app, 2, 7)
    state.consumeNonce(NonceKind.app, 3, 9)
  })
  for (const message of [keyRemove, keyAdd]) {
    const state = await load(message)
    expect(state.get(granted)).toEqual(key)
    expect(state.get(other.key)).toBeNull()
    expect(state.keyCountOf(1)).toBe(2)
    expect(state.consumeNonce(NonceKind.user, 1, 5)).not.toBeNull()
    expect(state.consumeNonce(NonceKind.app, 2, 7)).not.toBeNull()
    expect(state.consumeNonce(NonceKind.user, 1, 6)).toBeNull()
  }
})

test('a message that is no key message loads the key of its signer only', async () => {
  await write((state) => state.set(key))
  const cast = user.cast('hello', testNow)
  expect((await load(testKey('granted').sign(cast.data))).get(granted)).toEqual(key)
  expect((await load(cast)).get(granted)).toBeNull()
})

test('a key is granted again with other terms, and deleted when it is removed', async () => {
  await write((state) => state.set(key))
  const anew = {
    ...key,
    fid: 3,
    requestFid: 4,
    scopes: [MessageType.REACTION_ADD],
    ttlSeconds: 5,
    lastUsedAt: 6,
  }
  const found = await load(keyRemove)
  await write((state) => {
    state.set(anew)
    state.consumeNonce(NonceKind.user, 1, 1)
  }, found)
  expect((await load(keyRemove)).get(granted)).toEqual(anew)
  const again = await load(keyRemove)
  await write((state) => {
    state.delete(anew)
    state.consumeNonce(NonceKind.user, 1, 2)
  }, again)
  const last = await load(keyRemove)
  expect(last.get(granted)).toBeNull()
  expect(last.consumeNonce(NonceKind.user, 1, 2)).not.toBeNull()
})

test('who signed key messages is recovered where the caller says, such as on other threads', async () => {
  const address = Buffer.alloc(20, 7)
  const claims = await recoverKeyClaims([user.cast('hello', testNow), keyRemove, keyAdd], async () => address)
  expect([...claims]).toEqual([
    [keyRemove, { custody: address, request: null }],
    [keyAdd, { custody: address, request: null }],
  ])
})
