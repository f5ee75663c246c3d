import { HubEventType, MessageType, Protocol, UserDataType } from '../../../protocol/definitions.js'
import { primaryAddressBytes } from '../../../protocol/kinds/address.js'
import { MessageSet } from '../../../protocol/message-kind.js'
import { emitOwnerHints } from '../owner-hints.js'
import type { MergeRule } from '../rule.js'
import type { BatchState } from '../state.js'
import type { ConflictKey, StoredMessage } from '../stored-message.js'
import { checkVerificationLimits } from './verification-limits.js'

/** Returns the conflict key of a user's primary address. */
function primaryAddressConflictKey(fid: number, protocol: Protocol): ConflictKey {
  const type =
    protocol === Protocol.SOLANA
      ? UserDataType.USER_DATA_PRIMARY_ADDRESS_SOLANA
      : UserDataType.USER_DATA_PRIMARY_ADDRESS_ETHEREUM
  return { fid, set: MessageSet.userData, key: Buffer.from([type]) }
}

/** Removing or replacing a verification revokes the primary address of it (docs/protocol.md §4.9). */
export const verificationRule: MergeRule = {
  check: checkVerificationLimits,
  conflictKeys({ data }) {
    const { protocol } = (data.verificationAddAddressBody ?? data.verificationRemoveBody)!
    return [primaryAddressConflictKey(data.fid, protocol)]
  },
  afterMerge: (message, replaced, state) => {
    emitOwnerHints(message, state)
    for (const stored of replaced) {
      if (stored.type === MessageType.VERIFICATION_ADD_ETH_ADDRESS) {
        revokePrimaryAddress(message.data.fid, stored, state)
      }
    }
  },
}

/** Rule of VERIFICATION_ADD: names and addresses of user data depend on it. */
export const verificationAddRule: MergeRule = { ...verificationRule, order: () => 0 }

function revokePrimaryAddress(fid: number, verification: StoredMessage, state: BatchState): void {
  const { address, protocol } = verification.message().data.verificationAddAddressBody!
  const conflictKey = primaryAddressConflictKey(fid, protocol)
  const primary = state.get(conflictKey)
  if (!primary) return
  const userData = primary.message().data.userDataBody!
  if (!primaryAddressBytes(userData.type, userData.value)?.equals(address)) return
  state.set(conflictKey, null)
  state.emit(fid, { type: HubEventType.REVOKE_MESSAGE, message: primary.message() })
}
