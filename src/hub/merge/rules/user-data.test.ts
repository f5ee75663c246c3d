import { describe, expect, test } from 'vitest'
import { nameTransfer, TestUser, testNow } from '../../../../test/network.js'
import { HubEventType, Protocol, UserDataType } from '../../../protocol/definitions.js'
import { mergeMessage } from '../merge-message.js'
import { mergeNameTransfer } from '../names.js'
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
})
