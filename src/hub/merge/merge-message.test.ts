import { expect, test } from 'vitest'
import { nameTransfer, TestUser, testKey, testNow, testNowUnix } from '../../../test/network.js'
import { refuse } from '../../platform/errors.js'
import { HubEventType, MessageType, UserDataType } from '../../protocol/definitions.js'
import type { SignedMessage } from '../../protocol/message.js'
import { limitsOf } from '../storage-limits.js'
import { KeyState } from './keys/key-state.js'
import { applyUpstreamRemoval, conflictKeyOf, mergeMessage } from './merge-message.js'
import { mergeNameTransfer } from './names.js'
import { type BatchState, signerId } from './state.js'
import { toStoredMessage } from './stored-message.js'
import { createBatchState } from './testing/batch-state-fixture.js'
import { verification, verificationRemoval } from './testing/in-memory-merges.js'

const alice = new TestUser(1)
const bob = new TestUser(2)
const granted = testKey('granted')
const noUnits = { legacy: 0, y2024: 0, y2025: 0 }
const cast = alice.cast('hello', testNow)
const action = alice.message(
  {
    type: MessageType.FRAME_ACTION,
    frameActionBody: {
      url: Buffer.from('https://example.com'),
      buttonIndex: 1,
      inputText: Buffer.alloc(0),
      castId: undefined,
      state: Buffer.alloc(0),
      transactionId: Buffer.alloc(0),
      address: Buffer.alloc(0),
    },
  },
  testNow,
)

/** The types of the events with their fids. */
function eventsOf(state: BatchState) {
  return state.events.map(({ fid, body }) => [fid, body.type])
}

function keyOf(fid: number, scopes: MessageType[], lastUsedAt = testNow) {
  const keys = new KeyState()
  keys.load({ key: granted.publicKey, fid, requestFid: 9, scopes, ttlSeconds: 100, lastUsedAt })
  return keys
}

test('a merge emits one event with all displaced messages', () => {
  const state = createBatchState()
  const [first, second] = [
    alice.userData(UserDataType.BIO, 'one', testNow - 1),
    alice.userData(UserDataType.BIO, 'two', testNow),
  ]
  expect(mergeMessage(first, state)).toBeNull()
  expect(mergeMessage(second, state)).toBeNull()
  expect(state.events).toEqual([
    { fid: 1, body: { type: HubEventType.MERGE_MESSAGE, message: first, deletedMessages: [] } },
    { fid: 1, body: { type: HubEventType.MERGE_MESSAGE, message: second, deletedMessages: [first] } },
  ])
  expect(state.get(conflictKeyOf(second)!)?.hash).toEqual(second.hash)
})

test.each([
  [
    'of an unknown fid',
    { code: 'bad_request.validation_failure', message: 'unknown fid' },
    createBatchState(),
    new TestUser(99).cast('hello', testNow),
  ],
  [
    'of a key that is not the user’s',
    { code: 'bad_request.validation_failure', message: 'invalid signer' },
    createBatchState(),
    new TestUser(1, 'user 2').cast('hello', testNow),
  ],
  [
    'of a user without storage',
    { code: 'bad_request.validation_failure', message: 'insufficient storage' },
    createBatchState({ accounts: [{ fid: 1, limits: limitsOf(noUnits) }] }),
    cast,
  ],
  [
    'for pro accounts, a second after the end of the tier',
    { code: 'bad_request.validation_failure', message: 'Pro subscription required' },
    createBatchState({ accounts: [{ fid: 1, proUntil: testNowUnix - 1 }] }),
    alice.cast('x'.repeat(1500), testNow, { type: 2 }),
  ],
])('a message %s is refused and emits no event', (_what, refusal, state, message) => {
  expect(mergeMessage(message, state)).toEqual(refusal)
  expect(state.events).toEqual([])
  expect(state.changes()).toEqual([])
})

test('a claim that is not looked up now -> the refusal says when to try again', () => {
  const refusal = refuse('bad_request.rate_limited', 'too many names', { retryAfterSeconds: 6 })
  expect(mergeMessage(cast, createBatchState({ unconfirmed: new Map([[cast, refusal]]) }))).toEqual(refusal)
})

test('C.16 a long cast merges in the second in which the pro tier ends', () => {
  const state = createBatchState({ accounts: [{ fid: 1, proUntil: testNowUnix }] })
  expect(mergeMessage(alice.cast('x'.repeat(1500), testNow, { type: 2 }), state)).toBeNull()
})

test('a historical message needs neither tier nor storage, but a former signer', () => {
  const long = alice.cast('x'.repeat(1500), testNow, { type: 2 })
  const forged = new TestUser(1, 'user 2').cast('hello', testNow)
  const gone = new TestUser(1, 'gone')
  const old = gone.cast('signed when the key was good', testNow)
  const state = createBatchState({
    accounts: [{ fid: 1, limits: limitsOf(noUnits) }],
    signers: [[signerId(1, gone.key.publicKey), false]],
    historical: [long, forged, old],
  })
  const outcomes = [long, forged, old, gone.cast('now', testNow)].map((message) =>
    mergeMessage(message, state),
  )
  expect(outcomes.map((outcome) => outcome?.code ?? null)).toEqual([
    null,
    'bad_request.validation_failure',
    null,
    'bad_request.validation_failure',
  ])
})

test('C.11 a type that is not stored is refused after fid and signer, before storage', () => {
  const state = createBatchState({ accounts: [{ fid: 1, limits: limitsOf(noUnits) }] })
  expect(conflictKeyOf(action)).toBeNull()
  expect(mergeMessage(action, state)?.message).toBe('invalid message type')
  expect(mergeMessage(testKey('nobody').sign(action.data), state)?.message).toBe('invalid signer')
  expect(state.events).toEqual([])
  expect(conflictKeyOf(alice.message({ type: 99 as MessageType }, testNow))).toBeNull()
})

const expired = `gasless-key last_used_at expired: stored=${testNow - 101} + ttl=100 < current_block_timestamp=${testNow}`

test.each([
  ['in scope, within its time to live', null, null, keyOf(1, [MessageType.CAST_ADD], testNow - 100)],
  [
    'a second after its time to live',
    'bad_request.validation_failure',
    expired,
    keyOf(1, [MessageType.CAST_ADD], testNow - 101),
  ],
  [
    'out of scope',
    'bad_request.validation_failure',
    'message type 1 is not in the scope of the gasless signer',
    keyOf(1, [MessageType.LINK_ADD]),
  ],
  ['of another fid', 'bad_request.validation_failure', 'invalid signer', keyOf(2, [MessageType.CAST_ADD])],
])('a gasless key %s: %s %s', (_what, code, text, keys) => {
  const refusal = mergeMessage(granted.sign(cast.data), createBatchState({ keys }))
  expect([refusal?.code ?? null, refusal?.message ?? null]).toEqual([code, text])
})

test('scope is checked before the name, the name before expiry, and expiry before conflicts', () => {
  const username = granted.sign(alice.userData(UserDataType.USERNAME, 'nobody', testNow).data)
  const old = alice.userData(UserDataType.BIO, 'old', testNow - 9)
  const scopes = [MessageType.USER_DATA_ADD]
  const outcome = (message: SignedMessage, keys: KeyState) => {
    const state = createBatchState({ keys })
    mergeMessage(alice.userData(UserDataType.BIO, 'new', testNow), state)
    return mergeMessage(message, state)?.message
  }
  expect(outcome(username, keyOf(1, [], testNow - 101))).toMatch(/scope of the gasless signer$/)
  expect(outcome(username, keyOf(1, scopes, testNow - 101))).toBe('fname is not registered for fid')
  expect(outcome(granted.sign(old.data), keyOf(1, scopes, testNow - 101))).toBe(expired)
  expect(outcome(granted.sign(old.data), keyOf(1, scopes))).toBe('message conflicts with a more recent add')
})

test('a use moves the clock of a gasless key by more than 300 s, also if the message loses a conflict', () => {
  const keys = new KeyState()
  const lastUsedAt = testNow - 1000
  const scopes = [MessageType.USER_DATA_ADD]
  keys.load({ key: granted.publicKey, fid: 1, requestFid: 9, scopes, ttlSeconds: 5000, lastUsedAt })
  const state = createBatchState({ keys })
  const bio = (at: number) => granted.sign(alice.userData(UserDataType.BIO, `at ${at}`, at).data)
  mergeMessage(alice.userData(UserDataType.BIO, 'newest', testNow), state)
  const clockAfter = (message: SignedMessage) => {
    mergeMessage(message, state)
    return keys.get(granted.publicKey)!.lastUsedAt - lastUsedAt
  }
  expect(clockAfter(bio(lastUsedAt + 300))).toBe(0)
  expect(clockAfter(bio(lastUsedAt + 301))).toBe(301)
  expect(clockAfter(bio(lastUsedAt + 601))).toBe(301)
  // What is not valid is no use.
  expect(
    clockAfter(granted.sign(alice.userData(UserDataType.USERNAME, 'nobody', lastUsedAt + 900).data)),
  ).toBe(301)
})

test('a historical message may be signed by a gasless key that has expired since', () => {
  const message = granted.sign(cast.data)
  const keys = keyOf(1, [MessageType.CAST_ADD], testNow - 1000)
  expect(mergeMessage(message, createBatchState({ keys, historical: [message] }))).toBeNull()
})

test('a conflict with a message of the same batch is logged, another one is not', () => {
  const state = createBatchState()
  const [stored, older, newer] = [testNow - 5, testNow - 6, testNow].map((at) =>
    alice.userData(UserDataType.BIO, `at ${at}`, at),
  )
  state.load(conflictKeyOf(stored!)!, toStoredMessage(conflictKeyOf(stored!)!, stored!))
  expect(mergeMessage(older!, state)).toEqual({
    code: 'bad_request.conflict',
    message: 'message conflicts with a more recent add',
  })
  expect(eventsOf(state)).toEqual([])
  mergeMessage(newer!, state)
  mergeMessage(newer!, state)
  mergeMessage(older!, state)
  expect(state.events.slice(1)).toEqual([
    {
      fid: 1,
      body: {
        type: HubEventType.MERGE_FAILURE,
        message: older,
        code: 'bad_request.conflict',
        reason: 'message conflicts with a more recent add',
      },
    },
  ])
})

test('from V21 on no failure of a verification is logged', () => {
  const failuresOf = (hasV21: boolean) => {
    const state = createBatchState({ hasV21 })
    const address = Buffer.alloc(20, 7)
    mergeMessage(verification(alice, address, testNow), state)
    expect(mergeMessage(verificationRemoval(alice, address, testNow - 5), state)?.code).toBe(
      'bad_request.conflict',
    )
    return state.events.filter(({ body }) => body.type === HubEventType.MERGE_FAILURE).length
  }
  expect([failuresOf(false), failuresOf(true)]).toEqual([1, 0])
})

test('a username whose name was transferred in the same batch is logged as MERGE_FAILURE', () => {
  const username = alice.userData(UserDataType.USERNAME, 'alice', testNow)
  const state = createBatchState()
  const proof = nameTransfer('alice', 1, testNowUnix - 5)
  state.loadName('alice', { name: 'alice', fid: 1, proof, messageHash: null })
  mergeNameTransfer(nameTransfer('alice', 2, testNowUnix), state)
  state.events.length = 0
  mergeMessage(username, state)
  mergeMessage(alice.userData(UserDataType.USERNAME, 'nobody', testNow), state)
  const failure = {
    type: HubEventType.MERGE_FAILURE,
    message: username,
    code: 'bad_request.validation_failure',
    reason: 'fname is not registered for fid',
  }
  expect(state.events).toEqual([{ fid: 1, body: failure }])
})

test('a loan that loses within its batch is refused and not logged', () => {
  const state = createBatchState()
  const [first, second] = [alice.lendStorage(2, 1, 2, testNow), alice.lendStorage(2, 1, 2, testNow - 1)]
  mergeMessage(first, state)
  state.events.length = 0
  expect(mergeMessage(second, state)?.code).toBe('bad_request.conflict')
  expect(state.events).toEqual([])
})

test('applyUpstreamRemoval removes only the stored message, once', () => {
  const state = createBatchState()
  const [before, after] = [
    alice.userData(UserDataType.BIO, 'one', testNow - 1),
    alice.userData(UserDataType.BIO, 'two', testNow),
  ]
  mergeMessage(before, state)
  mergeMessage(after, state)
  state.events.length = 0
  const none = { code: 'bad_request.conflict', message: 'message is not stored' }
  expect(applyUpstreamRemoval(before, state)).toEqual(none)
  expect(applyUpstreamRemoval(action, state)).toEqual(none)
  expect(applyUpstreamRemoval(bob.cast('never sent', testNow), state)).toEqual(none)
  expect(applyUpstreamRemoval(after, state)).toBeNull()
  expect(state.get(conflictKeyOf(after)!)).toBeNull()
  expect(state.events).toEqual([{ fid: 1, body: { type: HubEventType.PRUNE_MESSAGE, message: after } }])
  expect(applyUpstreamRemoval(after, state)).toEqual(none)
})
