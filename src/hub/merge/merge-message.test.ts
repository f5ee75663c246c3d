import { expect, test } from 'vitest'
import { TestUser, testKey, testNow, testNowUnix } from '../../../test/network.js'
import { HubEventType, MessageType, UserDataType } from '../../protocol/definitions.js'
import { limitsOf } from '../storage-limits.js'
import { KeyState } from './gasless-keys.js'
import { applyUpstreamRemoval, conflictKeyOf, mergeMessage } from './merge-message.js'
import { type BatchState, signerId } from './state.js'
import { toStoredMessage } from './stored-message.js'
import { createBatchState } from './testing/batch-state-fixture.js'

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
    { code: 'bad_request.unknown_fid', message: 'unknown fid' },
    createBatchState(),
    new TestUser(99).cast('hello', testNow),
  ],
  [
    'of a key that is not the user’s',
    { code: 'bad_request.invalid_signer', message: 'invalid signer' },
    createBatchState(),
    new TestUser(1, 'user 2').cast('hello', testNow),
  ],
  [
    'of a user without storage',
    { code: 'bad_request.no_storage', message: 'fid 1 has no active storage' },
    createBatchState({ accounts: [{ fid: 1, limits: limitsOf(noUnits) }] }),
    cast,
  ],
  [
    'for pro accounts, when the tier ends this second',
    { code: 'bad_request.validation_failure', message: 'Pro subscription required' },
    createBatchState({ accounts: [{ fid: 1, proUntil: testNowUnix }] }),
    alice.cast('x'.repeat(1500), testNow, { type: 2 }),
  ],
])('a message %s is refused and emits no event', (_what, refusal, state, message) => {
  expect(mergeMessage(message, state)).toEqual(refusal)
  expect(state.events).toEqual([])
  expect(state.changes()).toEqual([])
})

test('a long cast merges in the last second of the pro tier', () => {
  const state = createBatchState({ accounts: [{ fid: 1, proUntil: testNowUnix + 1 }] })
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
    'bad_request.invalid_signer',
    null,
    'bad_request.invalid_signer',
  ])
})

test('a type that is not stored needs no storage and emits no event', () => {
  const state = createBatchState({ accounts: [{ fid: 1, limits: limitsOf(noUnits) }] })
  expect(conflictKeyOf(action)).toBeNull()
  expect(mergeMessage(action, state)).toBeNull()
  expect(state.events).toEqual([])
  expect(conflictKeyOf(alice.message({ type: 99 as MessageType }, testNow))).toBeNull()
})

test.each([
  ['in scope, within its time to live', null, keyOf(1, [MessageType.CAST_ADD], testNow - 100)],
  [
    'a second after its time to live',
    'bad_request.invalid_signer',
    keyOf(1, [MessageType.CAST_ADD], testNow - 101),
  ],
  ['out of scope', 'bad_request.invalid_signer', keyOf(1, [MessageType.LINK_ADD])],
  ['of another fid', 'bad_request.invalid_signer', keyOf(2, [MessageType.CAST_ADD])],
])('a gasless key %s: %s', (_what, code, keys) => {
  const message = granted.sign(cast.data)
  expect(mergeMessage(message, createBatchState({ keys }))?.code ?? null).toBe(code)
})

test('a merged message moves the clock of its gasless key, a refused one does not', () => {
  const keys = keyOf(1, [MessageType.CAST_ADD, MessageType.CAST_REMOVE], testNow - 50)
  const state = createBatchState({ keys })
  const early = granted.sign(alice.cast('gone', testNow - 10).data)
  const remove = granted.sign(alice.removeCast(early.hash, testNow - 40).data)
  expect(mergeMessage(remove, state)).toBeNull()
  expect(keys.get(granted.publicKey)?.lastUsedAt).toBe(testNow - 40)
  expect(mergeMessage(early, state)?.code).toBe('bad_request.conflict')
  expect(keys.get(granted.publicKey)?.lastUsedAt).toBe(testNow - 40)
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
