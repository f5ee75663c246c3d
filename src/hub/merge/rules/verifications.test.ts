import { expect, test } from 'vitest'
import { TestUser, testNow } from '../../../../test/network.js'
import { HubEventType, Protocol, UserDataType } from '../../../protocol/definitions.js'
import { conflictKeyOf } from '../merge-message.js'
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

test.each([
  ['that is removed', [verificationRemoval(alice, ethereum)], ['solana']],
  [
    'of the other protocol that is removed',
    [verificationRemoval(alice, solana, testNow, Protocol.SOLANA)],
    ['ethereum'],
  ],
  ['that is replaced', [verification(alice, ethereum)], ['solana']],
  [
    'of another address that is removed',
    [verificationRemoval(alice, Buffer.alloc(20, 7))],
    ['ethereum', 'solana'],
  ],
  ['of another user that is taken back', [verificationRemoval(bob, ethereum)], ['ethereum', 'solana']],
  [
    'whose removal is overdone',
    [verificationRemoval(alice, ethereum), verificationRemoval(alice, ethereum, testNow + 1)],
    ['solana'],
  ],
] as const)('a verification %s revokes its primary address, and nothing else', (_what, changes, left) => {
  const shown = [primary.showEthereum(testNow - 5), primary.showSolana(testNow - 5)]
  const state = withStored(
    createBatchState(),
    verification(alice, ethereum, testNow - 9),
    verification(alice, Buffer.alloc(20, 7), testNow - 9),
    verification(alice, solana, testNow - 9, Protocol.SOLANA),
    verification(bob, ethereum, testNow - 9),
    ...shown,
  )
  expect(refusalTexts(state, ...changes)).toEqual(changes.map(() => null))
  const chains = shown.flatMap((message, n) =>
    state.get(conflictKeyOf(message)!) ? [['ethereum', 'solana'][n]] : [],
  )
  expect(chains).toEqual(left)
  const revoked = state.events.filter(({ body }) => body.type === HubEventType.REVOKE_MESSAGE)
  expect(revoked).toEqual(
    shown
      .filter((_message, n) => !left.some((chain) => chain === ['ethereum', 'solana'][n]))
      .map((message) => ({ fid: 1, body: { type: HubEventType.REVOKE_MESSAGE, message } })),
  )
})

test('a profile without a primary address is not changed', () => {
  const address = Buffer.alloc(20, 7)
  const none = alice.userData(UserDataType.USER_DATA_PRIMARY_ADDRESS_ETHEREUM, '', testNow - 5)
  const state = withStored(createBatchState(), verification(alice, address, testNow - 9), none)
  expect(refusalTexts(state, verificationRemoval(alice, address))).toEqual([null])
  expect(state.get(conflictKeyOf(none)!)?.hash).toEqual(none.hash)
})
