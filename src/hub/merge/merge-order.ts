import { type MessageData, MessageType, UserDataType } from '@farcaster/core'

/** User data that rests on a name or an address, which must have been merged before. */
const dependentTypes: ReadonlySet<UserDataType> = new Set([
  UserDataType.USERNAME,
  UserDataType.USER_DATA_PRIMARY_ADDRESS_ETHEREUM,
  UserDataType.USER_DATA_PRIMARY_ADDRESS_SOLANA,
])

/** The place of a message's type within a block, lower first (docs/protocol.md §1.8). */
export function mergeOrder(data: MessageData): number {
  switch (data.type) {
    case MessageType.VERIFICATION_ADD_ETH_ADDRESS:
      return 0
    case MessageType.USERNAME_PROOF:
      return 1
    case MessageType.USER_DATA_ADD:
      return dependentTypes.has(data.userDataBody!.type) ? 2 : 3
    default:
      return 4
  }
}
