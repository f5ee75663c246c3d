import { describe, expect, test } from 'vitest'
import { nameTransfer, TestUser, testNow, testNowUnix } from '../../../test/network.js'
import {
  HubEventType,
  MessageType,
  UserDataType,
  UserNameProof,
  UserNameType,
} from '../../protocol/definitions.js'
import type { SignedMessage } from '../../protocol/message.js'
import { conflictKeyOf, mergeMessage } from './merge-message.js'
import { mergeNameTransfer, proofConflictKey, usernameConflictKey } from './names.js'
import { createBatchState } from './testing/batch-state-fixture.js'

const alice = new TestUser(1)
const bob = new TestUser(2)

function ensProof(user: TestUser, provenAt: number, options: { sentAt?: number; owner?: Buffer } = {}) {
  const usernameProofBody = UserNameProof.create({
    timestamp: provenAt,
    name: Buffer.from('name.eth'),
    owner: options.owner ?? user.custody,
    signature: Buffer.alloc(65),
    fid: user.fid,
    type: UserNameType.USERNAME_TYPE_ENS_L1,
  })
  return user.message({ type: MessageType.USERNAME_PROOF, usernameProofBody }, options.sentAt ?? testNow)
}

describe('fname transfers', () => {
  test('the later transfer wins, then the larger signature', () => {
    const state = createBatchState()
    const [small, large] = [1, 2].map((byte) => ({
      ...nameTransfer('alice', byte, 100),
      signature: Buffer.alloc(65, byte),
    }))
    expect(mergeNameTransfer(small!, state)).toBeNull()
    expect(mergeNameTransfer(large!, state)).toBeNull()
    expect(mergeNameTransfer(small!, state)).toEqual({
      code: 'bad_request.conflict',
      message: 'proof conflicts with a more recent transfer',
    })
    expect(mergeNameTransfer(nameTransfer('alice', 1, 99), state)?.code).toBe('bad_request.conflict')
    expect(mergeNameTransfer(large!, state)).toEqual({
      code: 'bad_request.duplicate',
      message: 'proof has already been merged',
    })
    expect(state.name('alice')).toEqual({ name: 'alice', fid: 2, proof: large, messageHash: null })
  })

  test('are logged for the new holder, a release for the previous one', () => {
    const state = createBatchState()
    const [first, released, again, given] = [1, 0, 0, 2].map((fid, n) => nameTransfer('alice', fid, 100 + n))
    for (const transfer of [first, released, again, given]) mergeNameTransfer(transfer!, state)
    const type = HubEventType.MERGE_USERNAME_PROOF
    expect(state.events).toEqual([
      { fid: 1, body: { type, usernameProof: first, deletedUsernameProof: undefined } },
      { fid: 1, body: { type, usernameProof: released, deletedUsernameProof: first } },
      { fid: null, body: { type, usernameProof: again, deletedUsernameProof: released } },
      { fid: 2, body: { type, usernameProof: given, deletedUsernameProof: again } },
    ])
  })

  test('revoke the username of the previous holder only', () => {
    const state = createBatchState()
    mergeNameTransfer(nameTransfer('alice', 1, 100), state)
    mergeNameTransfer(nameTransfer('bob', 2, 100), state)
    const [shown, other] = [
      alice.userData(UserDataType.USERNAME, 'alice', testNow),
      bob.userData(UserDataType.USERNAME, 'bob', testNow),
    ]
    expect([shown, other].map((message) => mergeMessage(message, state))).toEqual([null, null])
    state.events.length = 0
    mergeNameTransfer(nameTransfer('alice', 3, 200), state)
    expect(state.events.map(({ fid, body }) => [fid, body.type])).toEqual([
      [3, HubEventType.MERGE_USERNAME_PROOF],
      [1, HubEventType.REVOKE_MESSAGE],
    ])
    expect(state.events[1]!.body).toMatchObject({ message: shown })
    expect(state.get(usernameConflictKey(1))).toBeNull()
    expect(state.get(usernameConflictKey(2))?.hash).toEqual(other.hash)
  })

  /** Merges transfers and messages one by one, each of which must merge. Returns the username of user 1 and the revocations. */
  function mergeAll(items: readonly (UserNameProof | SignedMessage)[]) {
    const state = createBatchState()
    for (const item of items)
      expect('name' in item ? mergeNameTransfer(item, state) : mergeMessage(item, state)).toBeNull()
    return {
      username: state.get(usernameConflictKey(1))?.message(),
      revoked: state.events.flatMap(({ body }) => (body.type === HubEventType.REVOKE_MESSAGE ? [body] : [])),
    }
  }

  test('that arrive after a newer username -> the same state as before it', () => {
    const [given, released, next] = [
      nameTransfer('old', 1, testNowUnix - 300),
      nameTransfer('old', 0, testNowUnix - 200),
      nameTransfer('new', 1, testNowUnix - 199),
    ]
    const shown = alice.userData(UserDataType.USERNAME, 'new', testNow - 190)
    const before = { username: shown, revoked: [] }
    expect(mergeAll([given, released, next, shown])).toEqual(before)
    expect(mergeAll([given, next, shown, released])).toEqual(before)
    expect(mergeAll([next, shown, given, released])).toEqual(before)
  })

  test('revoke an older username of any value, and a newer one that shows the name', () => {
    const given = [nameTransfer('old', 1, 100), nameTransfer('new', 1, 100)]
    const taken = nameTransfer('old', 2, testNowUnix - 200)
    for (const [name, at] of [
      ['new', testNow - 200],
      ['old', testNow],
    ] as const) {
      const shown = alice.userData(UserDataType.USERNAME, name, at)
      expect(mergeAll([...given, shown, taken])).toMatchObject({
        username: undefined,
        revoked: [{ message: shown }],
      })
    }
  })

  test('that leave the name with its holder keep a newer username', () => {
    const shown = alice.userData(UserDataType.USERNAME, 'old', testNow)
    const [given, again] = [100, testNowUnix - 200].map((at) => nameTransfer('old', 1, at))
    expect(mergeAll([given!, shown, again!])).toEqual({ username: shown, revoked: [] })
  })

  test('of ENS names and basenames, whose messages are missing, revoke nothing', () => {
    const state = createBatchState()
    const proven = (type: UserNameType, name: string, at: number) => ({ ...nameTransfer(name, 1, at), type })
    mergeNameTransfer(nameTransfer('alice', 1, 100), state)
    mergeNameTransfer(proven(UserNameType.USERNAME_TYPE_ENS_L1, 'alice.eth', 100), state)
    mergeNameTransfer(proven(UserNameType.USERNAME_TYPE_BASENAME, 'alice.base.eth', 100), state)
    expect(mergeMessage(alice.userData(UserDataType.USERNAME, 'alice', testNow), state)).toBeNull()
    state.events.length = 0
    mergeNameTransfer(proven(UserNameType.USERNAME_TYPE_ENS_L1, 'alice.eth', 200), state)
    mergeNameTransfer(proven(UserNameType.USERNAME_TYPE_BASENAME, 'alice.base.eth', 200), state)
    expect(state.events.map(({ body }) => body.type)).toEqual([
      HubEventType.MERGE_USERNAME_PROOF,
      HubEventType.MERGE_USERNAME_PROOF,
    ])
    expect(state.get(usernameConflictKey(1))).not.toBeNull()
  })

  test('a name that was never held can be released', () => {
    const state = createBatchState()
    const release = nameTransfer('alice', 0, 100)
    expect(mergeNameTransfer(release, state)).toBeNull()
    expect(state.events).toMatchObject([{ fid: null, body: { usernameProof: release } }])
    expect(mergeNameTransfer(nameTransfer('alice', 1, 99), state)?.code).toBe('bad_request.conflict')
  })
})

describe('name proofs by message', () => {
  test('the later proof wins, and its event contains what it displaced', () => {
    const state = createBatchState()
    const [first, second] = [ensProof(alice, 100), ensProof(bob, 101)]
    expect(mergeMessage(first, state)).toBeNull()
    expect(mergeMessage(second, state)).toBeNull()
    const type = HubEventType.MERGE_USERNAME_PROOF
    const [one, two] = [first.data.usernameProofBody, second.data.usernameProofBody]
    expect(state.events).toEqual([
      { fid: 1, body: { type, usernameProof: one, usernameProofMessage: first } },
      {
        fid: 2,
        body: {
          type,
          usernameProof: two,
          deletedUsernameProof: one,
          usernameProofMessage: second,
          deletedUsernameProofMessage: first,
        },
      },
    ])
    expect(state.get(proofConflictKey(1, 'name.eth'))).toBeNull()
    expect(state.get(proofConflictKey(2, 'name.eth'))?.hash).toEqual(second.hash)
    expect(state.name('name.eth')).toEqual({ name: 'name.eth', fid: 2, proof: two, messageHash: second.hash })
  })

  test('compete by the time of the proof, not of the message, then by message hash', () => {
    const state = createBatchState()
    const proofs = [
      ensProof(alice, 100, { sentAt: testNow - 1 }),
      ensProof(bob, 100, { sentAt: testNow - 2 }),
    ]
    const [smaller, larger] = proofs.sort((a, b) => Buffer.compare(a.hash, b.hash))
    expect(mergeMessage(smaller!, state)).toBeNull()
    expect(mergeMessage(larger!, state)).toBeNull()
    state.events.length = 0
    expect(mergeMessage(larger!, state)).toEqual({
      code: 'bad_request.duplicate',
      message: 'message has already been merged',
    })
    expect(state.events).toEqual([])
    expect(mergeMessage(smaller!, state)).toEqual({
      code: 'bad_request.conflict',
      message: 'message conflicts with a more recent add',
    })
    expect(mergeMessage(ensProof(alice, 99), state)?.code).toBe('bad_request.conflict')
    // Both lost against messages of this batch.
    expect(state.events.map(({ body }) => body.type)).toEqual([
      HubEventType.MERGE_FAILURE,
      HubEventType.MERGE_FAILURE,
    ])
  })

  test('a proof that loses against an older batch is not logged', () => {
    const state = createBatchState()
    const stored = ensProof(bob, 100)
    const held = { name: 'name.eth', fid: 2, proof: stored.data.usernameProofBody! }
    state.loadName('name.eth', { ...held, messageHash: stored.hash })
    expect(mergeMessage(ensProof(alice, 99), state)?.code).toBe('bad_request.conflict')
    expect(state.events).toEqual([])
  })

  test('displace a transfer of the same time, and no message', () => {
    const state = createBatchState()
    mergeNameTransfer({ ...ensProof(bob, 100).data.usernameProofBody! }, state)
    const proof = ensProof(alice, 100)
    expect(mergeMessage(proof, state)).toBeNull()
    expect(state.events.at(-1)!.body).toMatchObject({ deletedUsernameProofMessage: undefined })
    expect(state.name('name.eth')?.fid).toBe(1)
    expect(state.changes().map(({ conflictKey }) => conflictKey)).toEqual([conflictKeyOf(proof)])
  })

  test('are displaced by a later proof that comes without its message, and leave nothing behind', () => {
    const state = createBatchState()
    const [first, second] = [ensProof(alice, 100), ensProof(bob, 101)]
    expect(mergeMessage(first, state)).toBeNull()
    state.events.length = 0
    const [one, two] = [first.data.usernameProofBody, second.data.usernameProofBody!]
    expect(mergeNameTransfer(two, state)).toBeNull()
    const type = HubEventType.MERGE_USERNAME_PROOF
    expect(state.events).toEqual([
      {
        fid: 2,
        body: { type, usernameProof: two, deletedUsernameProof: one, deletedUsernameProofMessage: first },
      },
    ])
    expect(state.get(proofConflictKey(1, 'name.eth'))).toBeNull()
    expect(state.countDeltas().filter(({ count }) => count !== 0)).toEqual([])

    state.events.length = 0
    expect(mergeMessage(second, state)).toBeNull()
    expect(state.events[0]!.body).toMatchObject({ usernameProofMessage: second })
    expect(state.get(proofConflictKey(2, 'name.eth'))?.hash).toEqual(second.hash)
  })

  const verified = Buffer.alloc(20, 7)
  const verification = alice.message(
    {
      type: MessageType.VERIFICATION_ADD_ETH_ADDRESS,
      verificationAddAddressBody: {
        address: verified,
        claimSignature: Buffer.alloc(65),
        blockHash: Buffer.alloc(32),
        verificationType: 0,
        chainId: 0,
        protocol: 0,
      },
    },
    testNow,
  )
  const given = alice.message(
    { type: MessageType.VERIFICATION_REMOVE, verificationRemoveBody: { address: verified, protocol: 0 } },
    testNow,
  )
  const refusal = {
    code: 'bad_request.validation_failure',
    message: 'invalid ens proof, no matching custody address or verified addresses',
  }

  test('need an owner that is the custody address or verified', () => {
    const proof = ensProof(alice, 100, { owner: verified })
    const state = createBatchState()
    expect(mergeMessage(proof, state)).toEqual(refusal)
    expect(state.events).toEqual([])
    mergeMessage(verification, state)
    expect(mergeMessage(proof, state)).toBeNull()
    expect(mergeMessage(ensProof(bob, 101, { owner: verified }), state)).toEqual(refusal)
    expect(mergeMessage(ensProof(bob, 101), state)).toBeNull()
  })

  test('an owner whose verification the batch removed -> MERGE_FAILURE', () => {
    const state = createBatchState()
    mergeMessage(given, state)
    expect(mergeMessage(ensProof(alice, 100, { owner: verified }), state)).toEqual(refusal)
    expect(state.events.at(-1)!.body).toMatchObject({
      type: HubEventType.MERGE_FAILURE,
      reason: refusal.message,
    })
  })

  test('a historical proof needs no owner', () => {
    const proof = ensProof(alice, 100, { owner: verified })
    expect(mergeMessage(proof, createBatchState({ historical: [proof] }))).toBeNull()
  })
})
