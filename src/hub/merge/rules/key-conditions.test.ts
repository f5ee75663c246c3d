import { describe, expect, test } from 'vitest'
import { TestUser, testKey, testNow } from '../../../../test/network.js'
import { HubEventType, MessageType } from '../../../protocol/definitions.js'
import type { SignedMessage } from '../../../protocol/message.js'
import type { KeyClaim } from '../keys/key-claims.js'
import { type GaslessKey, KeyState, NonceKind } from '../keys/key-state.js'
import { conflictKeyOf, mergeMessage } from '../merge-message.js'
import { signerId } from '../state.js'
import { createBatchState } from '../testing/batch-state-fixture.js'

// Signatures are given here. keys.test.ts has real ones.
const user = new TestUser(1)
const app = new TestUser(2)
const key = testKey('granted').publicKey
const byUser = { custody: user.custody, request: null }

function grant(
  options: { nonce?: number; deadline?: number; ttl?: number; at?: number } = {},
): SignedMessage {
  const { nonce = 1, deadline = testNow + 100, ttl = 3600, at = testNow } = options
  const keyAddBody = {
    key,
    keyType: 1,
    custodySignature: Buffer.alloc(65),
    deadline,
    nonce,
    metadata: Buffer.alloc(0),
    metadataType: 1,
    registrationTxHash: Buffer.alloc(0),
    scopes: [MessageType.CAST_ADD],
    ttl,
  }
  return user.message({ type: MessageType.KEY_ADD, keyAddBody }, at)
}

function takeBack(nonce: number, signatureType: 1 | 2, deadline = testNow + 100): SignedMessage {
  const keyRemoveBody = { key, signature: Buffer.alloc(65), signatureType, deadline, nonce }
  return user.message({ type: MessageType.KEY_REMOVE, keyRemoveBody }, testNow)
}

const requests: KeyClaim = {
  custody: user.custody,
  request: { requestFid: 2, requestSigner: app.custody, deadline: 0n },
}

function claims(...signed: [SignedMessage, KeyClaim][]) {
  return { keyClaims: new Map(signed) }
}

function held(by: Partial<GaslessKey> = {}): KeyState {
  const keys = new KeyState()
  const granted = { key, fid: 1, requestFid: 2, scopes: [], ttlSeconds: 60, lastUsedAt: testNow - 50 }
  keys.load({ ...granted, ...by })
  return keys
}

describe('KEY_ADD', () => {
  test('stores the key, which then signs the types in its scopes', () => {
    const message = grant()
    const keys = new KeyState()
    const state = createBatchState({ keys, ...claims([message, requests]) })
    expect(mergeMessage(message, state)).toBeNull()
    expect(keys.get(key)).toEqual({
      key,
      fid: 1,
      requestFid: 2,
      scopes: [MessageType.CAST_ADD],
      ttlSeconds: 3600,
      lastUsedAt: testNow,
    })
    expect(keys.changedNonces()).toMatchObject([{ kind: NonceKind.user, fid: 1, nonce: 1 }])
    expect(keys.keyCountOf(1)).toBe(1)
    expect(state.get(conflictKeyOf(message)!)?.hash).toEqual(message.hash)
    expect(state.events).toEqual([
      { fid: 1, body: { type: HubEventType.MERGE_MESSAGE, message, deletedMessages: [] } },
    ])
  })

  test('of a key that the same fid and app have -> replaces it', () => {
    const [first, second] = [grant(), grant({ nonce: 2, ttl: 60 })]
    const keys = new KeyState()
    const state = createBatchState({ keys, ...claims([first, requests], [second, requests]) })
    expect([first, second].map((message) => mergeMessage(message, state))).toEqual([null, null])
    expect(keys.get(key)?.ttlSeconds).toBe(60)
    expect(keys.keyCountOf(1)).toBe(1)
    expect(state.events[1]!.body).toMatchObject({ message: second, deletedMessages: [first] })
  })

  const asker = (request: Partial<NonNullable<KeyClaim['request']>>) => ({
    ...requests,
    request: { ...requests.request!, ...request },
  })
  const unsigned = 'requestSigner does not match custody address of requestFid'
  const active = { signers: [[signerId(1, key), true]] as const }

  test.each([
    ['without a custody signature', 'invalid signature', { ...requests, custody: null }, {}],
    ['with the signature of another', 'invalid signature', { ...requests, custody: app.custody }, {}],
    ['that nobody claimed', 'invalid signature', undefined, {}],
    [
      'without a request of an app',
      'SignedKeyRequest metadata is malformed or signature does not verify',
      byUser,
      {},
    ],
    ['that another app asked for', unsigned, asker({ requestFid: 3 }), {}],
    ['that an unknown app asked for', unsigned, asker({ requestFid: 99 }), {}],
    ['that not the app’s owner signed', unsigned, asker({ requestSigner: user.custody }), {}],
    [
      'of a key of another user',
      'key is already claimed by a different fid',
      requests,
      { keys: held({ fid: 3 }) },
    ],
    [
      'of a key of another app',
      'key is already registered for this fid by a different requesting fid',
      requests,
      { keys: held({ requestFid: 3 }) },
    ],
    ['of a key that signs on chain', 'key is already registered onchain for this fid', requests, active],
  ])('%s is refused: %s', (_what, text, claim, fixture) => {
    const message = grant()
    const state = createBatchState({ ...fixture, ...(claim ? claims([message, claim]) : {}) })
    expect(mergeMessage(message, state)).toEqual({ code: 'bad_request.validation_failure', message: text })
    expect(state.events).toEqual([])
  })

  test.each([
    ['is not known yet', asker({ requestFid: 99 })],
    ['has another owner today', asker({ requestSigner: user.custody })],
  ])('that is historical merges although its app %s', (_what, claim) => {
    const message = grant()
    const state = createBatchState({ ...claims([message, claim]), historical: [message] })
    expect(mergeMessage(message, state)).toBeNull()
  })

  test.each([
    ['historical, before the transfer', { at: testNow - 10, isHistorical: true }, null],
    ['historical, after the transfer', { at: testNow + 10, isHistorical: true }, 'invalid signature'],
    ['new, before the transfer', { at: testNow - 10, isHistorical: false }, 'invalid signature'],
  ])('by a former custody address: %s', (_when, { at, isHistorical }, text) => {
    const former = Buffer.alloc(20, 5)
    const message = grant({ at })
    const keys = new KeyState()
    keys.loadFormerCustody(user.fid, { address: former, until: testNow })
    const state = createBatchState({
      ...claims([message, { ...requests, custody: former }]),
      keys,
      historical: isHistorical ? [message] : [],
    })
    expect(mergeMessage(message, state)?.message ?? null).toBe(text)
  })

  test('with a body deadline that has passed -> merges: the deadline is signed, and never compared', () => {
    const message = grant({ deadline: testNow - 1 })
    expect(mergeMessage(message, createBatchState(claims([message, requests])))).toBeNull()
  })

  test('uses its nonce and all below it, of this fid only', () => {
    const [second, again, first, third] = [2, 2, 1, 3].map((nonce) => grant({ nonce }))
    const messages = [second!, again!, first!, third!]
    const state = createBatchState(
      claims(...messages.map((message): [SignedMessage, KeyClaim] => [message, requests])),
    )
    state.keys.loadNonce(NonceKind.user, 2, 50)
    state.keys.loadNonce(NonceKind.app, 1, 50)
    const nonceUsed = (nonce: number, last: number) => ({
      code: 'bad_request.conflict',
      message: `gasless-key nonce ${nonce} is not greater than stored nonce ${last}`,
    })
    const outcomes = messages.map((message) => mergeMessage(message, state))
    expect(outcomes).toEqual([null, nonceUsed(2, 2), nonceUsed(1, 2), null])
  })

  test('beyond 1,000 keys is refused, unless the fid has the key already', () => {
    const message = grant()
    const full = new KeyState()
    full.loadCount(1, 1000)
    expect(
      mergeMessage(message, createBatchState({ keys: full, ...claims([message, requests]) }))?.message,
    ).toBe('active-key cap exceeded: 1000 keys per FID')
    const room = new KeyState()
    room.loadCount(1, 999)
    expect(mergeMessage(message, createBatchState({ keys: room, ...claims([message, requests]) }))).toBeNull()
    const given = held()
    given.loadCount(1, 1000)
    expect(
      mergeMessage(message, createBatchState({ keys: given, ...claims([message, requests]) })),
    ).toBeNull()
  })
})

describe('KEY_REMOVE', () => {
  test('by custody uses the nonces of the fid', () => {
    const [added, removed] = [grant(), takeBack(2, 1)]
    const keys = new KeyState()
    const state = createBatchState({ keys, ...claims([added, requests], [removed, byUser]) })
    mergeMessage(added, state)
    expect(mergeMessage(removed, state)).toBeNull()
    expect(keys.get(key)).toBeNull()
    expect(keys.keyCountOf(1)).toBe(0)
    expect(state.get(conflictKeyOf(added)!)).toBeNull()
    expect(state.events[1]).toEqual({
      fid: 1,
      body: { type: HubEventType.MERGE_MESSAGE, message: removed, deletedMessages: [added] },
    })
    expect(keys.changedNonces()).toMatchObject([{ kind: NonceKind.user, fid: 1, nonce: 2 }])
  })

  test('by the key itself uses the nonces of its app, also without a stored KEY_ADD', () => {
    const state = createBatchState({ keys: held() })
    state.keys.loadNonce(NonceKind.user, 1, 50)
    const removed = takeBack(1, 2)
    expect(mergeMessage(removed, state)).toBeNull()
    expect(state.keys.changedNonces()).toMatchObject([{ kind: NonceKind.app, fid: 2, nonce: 1 }])
    expect(state.events[0]!.body).toMatchObject({ deletedMessages: [] })
  })

  test.each([
    ['that is not there', 'key is not registered for this fid', takeBack(1, 2), new KeyState()],
    ['of another user', 'key is not registered for this fid', takeBack(1, 2), held({ fid: 3 })],
    ['without the user’s signature', 'invalid signature', takeBack(1, 1), held()],
  ])('is refused %s: %s', (_what, text, message, keys) => {
    const state = createBatchState({ keys })
    expect(mergeMessage(message, state)).toEqual({ code: 'bad_request.validation_failure', message: text })
    expect(keys.changedKeys()).toEqual([])
  })

  test('with a nonce that is used -> a conflict', () => {
    const keys = held()
    expect(mergeMessage(takeBack(0, 2), createBatchState({ keys }))).toEqual({
      code: 'bad_request.conflict',
      message: 'gasless-key nonce 0 is not greater than stored nonce 0',
    })
    expect(keys.changedKeys()).toEqual([])
  })

  test('with a body deadline that has passed -> merges', () => {
    expect(mergeMessage(takeBack(1, 2, testNow - 1), createBatchState({ keys: held() }))).toBeNull()
  })
})
