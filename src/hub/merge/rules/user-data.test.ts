import { describe, expect, test } from 'vitest'
import { nameTransfer, TestUser, testNow } from '../../../../test/network.js'
import { HubEventType, Protocol, UserDataType, UserNameType } from '../../../protocol/definitions.js'
import type { SignedMessage } from '../../../protocol/message.js'
import { mergeMessage } from '../merge-message.js'
import { mergeNameTransfer, releaseLostName } from '../names.js'
import { createBatchState } from '../testing/batch-state-fixture.js'
import {
  primary,
  refusalTexts,
  verification,
  verificationRemoval,
  withStored,
} from '../testing/in-memory-merges.js'

const alice = new TestUser(1)
const bob = new TestUser(2)
const { ethereum, solana } = primary

/** An ENS name that comes without the message of its proof. */
const proven = (name: string, fid: number) => ({
  ...nameTransfer(name, fid, 100),
  type: UserNameType.USERNAME_TYPE_ENS_L1,
})

describe('user data', () => {
  const shows = (user: TestUser, name: string) => user.userData(UserDataType.USERNAME, name, testNow)

  test('may show the names that its user holds, or none', () => {
    const state = createBatchState()
    mergeNameTransfer(nameTransfer('alice', 1, 100), state)
    const refusal = 'fname is not registered for fid'
    expect(refusalTexts(state, shows(alice, 'bob'), shows(bob, 'alice'), shows(alice, 'alice'))).toEqual([
      refusal,
      refusal,
      null,
    ])
    expect(refusalTexts(state, shows(bob, ''), bob.userData(UserDataType.BIO, 'alice', testNow))).toEqual([
      null,
      null,
    ])
    expect(mergeMessage(shows(bob, 'alice'), state)?.code).toBe('bad_request.validation_failure')
  })

  const unproven = 'address is not part of any verification'

  test('may show a primary address that its user has verified, or none', () => {
    const state = withStored(createBatchState(), verification(bob, ethereum, testNow - 9))
    expect(refusalTexts(state, primary.showEthereum(), primary.showSolana())).toEqual([unproven, unproven])
    expect(mergeMessage(primary.showSolana(), state)?.code).toBe('bad_request.validation_failure')
    withStored(state, verification(alice, ethereum, testNow - 9))
    expect(refusalTexts(state, primary.showEthereum(), primary.showSolana())).toEqual([null, unproven])
    withStored(state, verification(alice, solana, testNow - 9, Protocol.SOLANA))
    expect(refusalTexts(state, primary.showSolana())).toEqual([null])
    const none = [
      UserDataType.USER_DATA_PRIMARY_ADDRESS_ETHEREUM,
      UserDataType.USER_DATA_PRIMARY_ADDRESS_SOLANA,
    ].map((type) => bob.userData(type, '', testNow))
    expect(refusalTexts(state, ...none)).toEqual([null, null])
  })

  test('of an address whose verification the batch removed -> MERGE_FAILURE', () => {
    const state = withStored(createBatchState(), verification(alice, ethereum, testNow - 9))
    expect(
      refusalTexts(state, verificationRemoval(alice, ethereum, testNow - 1), primary.showEthereum()),
    ).toEqual([null, unproven])
    expect(state.events.at(-1)!.body).toMatchObject({ type: HubEventType.MERGE_FAILURE, reason: unproven })
  })

  test('a copy keeps a name and an address whose proofs have gone, unless another user has the name', () => {
    const copies = [
      shows(alice, 'free.eth'),
      shows(alice, 'taken.eth'),
      primary.showEthereum(),
      primary.showSolana(),
    ]
    const merge = (message: SignedMessage) => {
      const state = createBatchState({ historical: [message] })
      mergeNameTransfer(proven('taken.eth', 2), state)
      withStored(state, verificationRemoval(alice, solana, testNow - 1, Protocol.SOLANA))
      return refusalTexts(state, message)[0]
    }
    expect(copies.map(merge)).toEqual([null, 'fname is not registered for fid', null, unproven])
  })

  test('a copy does not bring back an fname of another user, or a name that was taken from its user', () => {
    const copies = [shows(alice, 'bob'), shows(alice, 'lost.eth'), shows(bob, 'lost.eth')]
    const state = createBatchState({ historical: copies })
    mergeNameTransfer(nameTransfer('bob', 2, 100), state)
    mergeNameTransfer(proven('lost.eth', 1), state)
    expect(releaseLostName(proven('lost.eth', 1), state)).toBeNull()
    const refusal = 'fname is not registered for fid'
    expect(refusalTexts(state, ...copies)).toEqual([refusal, refusal, null])
  })
})
