import { HubEventType, MessageType, Protocol, UserDataType } from '@farcaster/core'
import { primaryAddressBytes } from '../../../protocol/kinds/primary-address.js'
import type { SignedMessage } from '../../../protocol/message.js'
import { MessageSet } from '../../../protocol/message-kind.js'
import type { MergeRule } from '../rule.js'
import type { Slot, Standing } from '../standing.js'
import type { BatchState } from '../state.js'

/** Where a user's primary address on a chain stands. */
function primaryAddressSlot(fid: number, protocol: Protocol): Slot {
  const type =
    protocol === Protocol.SOLANA
      ? UserDataType.USER_DATA_PRIMARY_ADDRESS_SOLANA
      : UserDataType.USER_DATA_PRIMARY_ADDRESS_ETHEREUM
  return { fid, set: MessageSet.userData, key: Buffer.from([type]) }
}

/**
 * A verification that is removed or replaced takes the primary address that rests on it along
 * (docs/protocol.md §4.9).
 */
export const verificationRule: MergeRule = {
  slots: ({ data }) => [primaryAddressSlot(data.fid, protocolOf(data))],
  after: (message, displaced, state) => {
    for (const standing of displaced) {
      if (standing.type === MessageType.VERIFICATION_ADD_ETH_ADDRESS) {
        revokePrimaryAddress(message.data.fid, standing, state)
      }
    }
  },
}

function protocolOf(data: SignedMessage['data']): Protocol {
  return (data.verificationAddAddressBody ?? data.verificationRemoveBody)!.protocol
}

function revokePrimaryAddress(fid: number, verification: Standing, state: BatchState): void {
  const { address, protocol } = verification.message().data.verificationAddAddressBody!
  const slot = primaryAddressSlot(fid, protocol)
  const primary = state.at(slot)
  if (!primary) return
  const userData = primary.message().data.userDataBody!
  if (!primaryAddressBytes(userData.type, userData.value)?.equals(address)) return
  state.set(slot, null)
  state.emit(fid, { type: HubEventType.REVOKE_MESSAGE, message: primary.message() })
}
