import base58 from 'bs58'
import { TestUser, testNow } from '../../../../test/network.js'
import { MessageType, Protocol, UserDataType } from '../../../protocol/definitions.js'
import type { SignedMessage } from '../../../protocol/message.js'
import { conflictKeyOf, mergeMessage } from '../merge-message.js'
import type { BatchState } from '../state.js'
import { toStoredMessage } from '../stored-message.js'

const alice = new TestUser(1)

/** Adds messages that earlier batches stored. */
export function withStored(state: BatchState, ...messages: SignedMessage[]): BatchState {
  for (const message of messages) {
    const conflictKey = conflictKeyOf(message)!
    state.load(conflictKey, toStoredMessage(conflictKey, message))
  }
  return state
}

/** Merges messages one after another. Returns the texts of refusals; null for merged ones. */
export function refusalTexts(state: BatchState, ...messages: SignedMessage[]): (string | null)[] {
  return messages.map((message) => mergeMessage(message, state)?.message ?? null)
}

/** The hashes of a user's stored messages, sorted. */
export function storedHashes(state: BatchState, fid = 1): string[] {
  return [...state.storedMessagesOf(fid)].map(({ hash }) => hash.toString('hex')).sort()
}

/** Creates a verification without a valid claim signature. */
export function verification(
  user: TestUser,
  address: Buffer,
  at = testNow,
  protocol = Protocol.ETHEREUM,
): SignedMessage {
  const verificationAddAddressBody = {
    address,
    claimSignature: Buffer.alloc(65),
    blockHash: Buffer.alloc(32),
    verificationType: 0,
    chainId: 0,
    protocol,
  }
  return user.message({ type: MessageType.VERIFICATION_ADD_ETH_ADDRESS, verificationAddAddressBody }, at)
}

/** Creates the removal of a verification. */
export function verificationRemoval(
  user: TestUser,
  address: Buffer,
  at = testNow,
  protocol = Protocol.ETHEREUM,
): SignedMessage {
  const verificationRemoveBody = { address, protocol }
  return user.message({ type: MessageType.VERIFICATION_REMOVE, verificationRemoveBody }, at)
}

/** Addresses of both protocols, and user data that shows them in the profile of user 1. */
export const primary = {
  ethereum: Buffer.from('d8da6bf26964af9d7eed9e03e53415d37aa96045', 'hex'),
  solana: Buffer.alloc(32, 9),
  showEthereum: (at = testNow) =>
    alice.userData(
      UserDataType.USER_DATA_PRIMARY_ADDRESS_ETHEREUM,
      '0xd8dA6BF26964aF9D7eEd9e03E53415D37aA96045',
      at,
    ),
  showSolana: (at = testNow) =>
    alice.userData(UserDataType.USER_DATA_PRIMARY_ADDRESS_SOLANA, base58.encode(primary.solana), at),
}
