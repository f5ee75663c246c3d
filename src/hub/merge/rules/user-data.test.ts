import { HubEventType, Protocol, UserDataType } from '@farcaster/core'
import { describe, expect, test } from 'vitest'
import { nameTransfer, TestUser, testNow } from '../../../../test/network.js'
import { mergeMessage } from '../decide.js'
import { mergeNameTransfer } from '../names.js'
import { groundOf } from '../testing/ground.js'
import { given, outcomes, primary, unverified, verification } from '../testing/merges-in-memory.js'

const alice = new TestUser(1)
const bob = new TestUser(2)
const { ethereum, solana } = primary

describe('a profile', () => {
  const shows = (user: TestUser, name: string) => user.userData(UserDataType.USERNAME, name, testNow)

  test('shows the names that its user holds, and no name at all if it likes', () => {
    const state = groundOf()
    mergeNameTransfer(nameTransfer('alice', 1, 100), state)
    const refusal = 'fname is not registered for fid'
    expect(outcomes(state, shows(alice, 'bob'), shows(bob, 'alice'), shows(alice, 'alice'))).toEqual([
      refusal,
      refusal,
      null,
    ])
    expect(outcomes(state, shows(bob, ''), bob.userData(UserDataType.BIO, 'alice', testNow))).toEqual([
      null,
      null,
    ])
    expect(mergeMessage(shows(bob, 'alice'), state)?.code).toBe('bad_request.validation_failure')
  })

  const unproven = 'address is not part of any verification'

  test('shows a primary address that its user has verified, and none if it likes', () => {
    const state = given(groundOf(), verification(bob, ethereum, testNow - 9))
    expect(outcomes(state, primary.showEthereum(), primary.showSolana())).toEqual([unproven, unproven])
    expect(mergeMessage(primary.showSolana(), state)?.code).toBe('bad_request.validation_failure')
    given(state, verification(alice, ethereum, testNow - 9))
    expect(outcomes(state, primary.showEthereum(), primary.showSolana())).toEqual([null, unproven])
    given(state, verification(alice, solana, testNow - 9, Protocol.SOLANA))
    expect(outcomes(state, primary.showSolana())).toEqual([null])
    const none = [
      UserDataType.USER_DATA_PRIMARY_ADDRESS_ETHEREUM,
      UserDataType.USER_DATA_PRIMARY_ADDRESS_SOLANA,
    ].map((type) => bob.userData(type, '', testNow))
    expect(outcomes(state, ...none)).toEqual([null, null])
  })

  test('may not show an address whose verification this batch took away, and the log tells', () => {
    const state = given(groundOf(), verification(alice, ethereum, testNow - 9))
    expect(outcomes(state, unverified(alice, ethereum, testNow - 1), primary.showEthereum())).toEqual([
      null,
      unproven,
    ])
    expect(state.events.at(-1)!.body).toMatchObject({ type: HubEventType.MERGE_FAILURE, reason: unproven })
  })
})
