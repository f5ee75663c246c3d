import { refuse } from '../../../platform/errors.js'
import { UserDataType } from '../../../protocol/definitions.js'
import { primaryAddressBytes } from '../../../protocol/kinds/address.js'
import type { SignedMessage } from '../../../protocol/message.js'
import { MessageSet } from '../../../protocol/message-kind.js'
import { nameNotHeld, nameNotOwned, stateChanged } from '../../sender-refusals.js'
import { encodeProof, isLost, isOwnedBy } from '../names.js'
import type { MergeRefusal, MergeRule } from '../rule.js'
import type { BatchState } from '../state.js'
import type { ConflictKey } from '../stored-message.js'

/** User data that needs a name or an address that has merged before. */
const dependentTypes: ReadonlySet<UserDataType> = new Set([
  UserDataType.USERNAME,
  UserDataType.USER_DATA_PRIMARY_ADDRESS_ETHEREUM,
  UserDataType.USER_DATA_PRIMARY_ADDRESS_SOLANA,
])

/** USER_DATA_ADD: a username must be held, a primary address verified by the fid (docs/protocol.md §4.12). */
export const userDataRule: MergeRule = {
  order: (data) => (dependentTypes.has(data.userDataBody!.type) ? 2 : 3),
  conflictKeys: (message) => {
    const conflictKey = verificationConflictKey(message)
    return conflictKey ? [conflictKey] : []
  },
  names: (message) => {
    const name = claimedName(message)
    return name ? [name] : []
  },
  check: (message, state) => checkName(message, state) ?? checkAddress(message, state),
}

/** Returns the username of a profile entry; null for the empty value, which any fid may set. */
function claimedName({ data }: SignedMessage): string | null {
  const body = data.userDataBody!
  return body.type === UserDataType.USERNAME && body.value !== '' ? body.value : null
}

function checkName(message: SignedMessage, state: BatchState): MergeRefusal | null {
  const { fid } = message.data
  const name = claimedName(message)
  if (name === null) return null
  const holder = state.name(name)
  if (holder?.fid !== fid)
    return isKeptName(message, name, state) ? null : { ...nameNotHeld, causedByName: name }
  const confirmed = state.confirmedProofs.get(message)
  if (confirmed === undefined) return null
  // The proof or the verification that the chain was asked for may have come with the entry, and been refused.
  if (!encodeProof(holder.proof).equals(encodeProof(confirmed))) return stateChanged
  return isOwnedBy(fid, confirmed, state) ? null : nameNotOwned
}

/**
 * Returns true if a copied entry may show a name without a proof: the end of a proof of a name on a chain revokes nothing, so a
 * hub that followed the log has the entry too. Not if it was revoked here (docs/protocol.md §4.9), nor if another user holds
 * the name: of whom it was taken before that is not kept, and a profile must not show the name of another.
 */
function isKeptName(message: SignedMessage, name: string, state: BatchState): boolean {
  if (!state.historical.has(message) || !name.endsWith('.eth')) return false
  const holder = state.name(name)
  return holder === null || (isLost(holder) && holder.proof.fid !== message.data.fid)
}

function verificationConflictKey({ data }: SignedMessage): ConflictKey | null {
  const body = data.userDataBody!
  const address = body.value === '' ? null : primaryAddressBytes(body.type, body.value)
  return address && { fid: data.fid, set: MessageSet.verifications, key: address }
}

function checkAddress(message: SignedMessage, state: BatchState): MergeRefusal | null {
  const conflictKey = verificationConflictKey(message)
  if (!conflictKey) return null
  const stored = state.get(conflictKey)
  if (stored?.message().data.verificationAddAddressBody) return null
  // Pruning a verification revokes nothing, its removal does: a hub that followed the log has the entry too.
  if (!stored && state.historical.has(message)) return null
  return {
    ...refuse('bad_request.validation_failure', 'address is not part of any verification'),
    causedBy: conflictKey,
  }
}
