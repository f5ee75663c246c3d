import { expect, test } from 'vitest'
import { nameTransfer, TestUser, testNow } from '../../../test/network.js'
import { MessageType, Protocol, UserDataType } from '../../protocol/definitions.js'
import type { SignedMessage } from '../../protocol/message.js'
import { conflictKeyOf } from './merge-message.js'
import { mergeOrder, ruleOf } from './rules.js'
import { verification, verificationRemoval } from './testing/in-memory-merges.js'

const alice = new TestUser(1)

test('within a block, dependencies come first', () => {
  const nameProof = alice.message(
    { type: MessageType.USERNAME_PROOF, usernameProofBody: nameTransfer('alice', 1, 1) },
    testNow,
  )
  const inOrder = [
    [verification(alice, Buffer.alloc(20, 1))],
    [nameProof],
    [
      UserDataType.USERNAME,
      UserDataType.USER_DATA_PRIMARY_ADDRESS_ETHEREUM,
      UserDataType.USER_DATA_PRIMARY_ADDRESS_SOLANA,
    ].map((type) => alice.userData(type, 'x', testNow)),
    [alice.userData(UserDataType.BIO, 'x', testNow)],
    [alice.cast('x', testNow), alice.link(2, testNow), verificationRemoval(alice, Buffer.alloc(20, 1))],
  ]
  for (const [sourceOffset, messages] of inOrder.entries()) {
    expect(messages.map(({ data }) => mergeOrder(data))).toEqual(messages.map(() => sourceOffset))
  }
})

test('everything that a rule reads is loaded', () => {
  const looksAt = (message: SignedMessage) => {
    const rule = ruleOf(message.data.type)
    return { conflictKeys: rule.conflictKeys?.(message) ?? [], names: rule.names?.(message) ?? [] }
  }
  const address = Buffer.alloc(20, 1)
  const primary = conflictKeyOf(alice.userData(UserDataType.USER_DATA_PRIMARY_ADDRESS_ETHEREUM, '', testNow))
  const verified = conflictKeyOf(
    verification(alice, Buffer.from('d8da6bf26964af9d7eed9e03e53415d37aa96045', 'hex')),
  )
  expect(looksAt(verification(alice, address)).conflictKeys).toEqual([primary])
  expect(looksAt(verificationRemoval(alice, address)).conflictKeys).toEqual([primary])
  const onSolana = conflictKeyOf(alice.userData(UserDataType.USER_DATA_PRIMARY_ADDRESS_SOLANA, '', testNow))
  expect(looksAt(verification(alice, address, testNow, Protocol.SOLANA)).conflictKeys).toEqual([onSolana])
  expect(looksAt(verificationRemoval(alice, address, testNow, Protocol.SOLANA)).conflictKeys).toEqual([
    onSolana,
  ])
  expect(looksAt(alice.link(2, testNow)).conflictKeys).toEqual([
    conflictKeyOf(alice.compactLinks([2], testNow)),
  ])
  expect(looksAt(alice.userData(UserDataType.USERNAME, 'alice', testNow))).toEqual({
    conflictKeys: [],
    names: ['alice'],
  })
  expect(looksAt(alice.userData(UserDataType.USERNAME, '', testNow))).toEqual({ conflictKeys: [], names: [] })
  expect(looksAt(alice.userData(UserDataType.BIO, 'alice', testNow))).toEqual({ conflictKeys: [], names: [] })
  expect(
    looksAt(
      alice.userData(
        UserDataType.USER_DATA_PRIMARY_ADDRESS_ETHEREUM,
        '0xd8dA6BF26964aF9D7eEd9e03E53415D37aA96045',
        testNow,
      ),
    ),
  ).toEqual({ conflictKeys: [verified], names: [] })
  expect(
    looksAt(
      alice.message(
        {
          type: MessageType.USERNAME_PROOF,
          usernameProofBody: { ...nameTransfer('alice', 1, 1), owner: address },
        },
        testNow,
      ),
    ),
  ).toEqual({ conflictKeys: [conflictKeyOf(verification(alice, address))], names: ['alice'] })
})
