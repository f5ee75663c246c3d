import { type Refusal, refuse } from '../../../platform/errors.js'
import { HubEventType } from '../../../protocol/definitions.js'
import type { SignedMessage } from '../../../protocol/message.js'
import { nameNotOwned } from '../../sender-refusals.js'
import {
  displacedProof,
  isLost,
  isOwnedBy,
  nameOf,
  ownerConflictKey,
  proofConflictKey,
  removeReplacedProof,
} from '../names.js'
import type { MergeRefusal, MergeRule } from '../rule.js'
import type { BatchState, NameHolder } from '../state.js'
import { toStoredMessage } from '../stored-message.js'

/** USERNAME_PROOF: the owner must be the custody or a verified address of the fid (docs/protocol.md §4.4). */
export const usernameProofRule: MergeRule = {
  order: () => 1,
  locksAllShards: true,
  conflictKeys: ({ data }) => [ownerConflictKey(data.fid, data.usernameProofBody!)],
  names: (message) => [nameOf(message.data.usernameProofBody!)],
  check: checkOwner,
  merge: (message, _conflictKey, state) => mergeNameProof(message, state),
}

function checkOwner(message: SignedMessage, state: BatchState): MergeRefusal | null {
  const { fid, usernameProofBody } = message.data
  if (state.historical.has(message) || isOwnedBy(fid, usernameProofBody!, state)) return null
  return { ...nameNotOwned, causedBy: ownerConflictKey(fid, usernameProofBody!) }
}

/** The later proof of any fid wins, then the larger hash (docs/protocol.md §4.4). */
function mergeNameProof(message: SignedMessage, state: BatchState): MergeRefusal | null {
  const proof = message.data.usernameProofBody!
  const name = nameOf(proof)
  const holder = state.name(name)
  const refusal = holder && resolveNameConflict(message, holder)
  if (refusal) return { ...refusal, causedBy: proofConflictKey(holder.fid, name) }
  const unconfirmed = state.unconfirmed.get(message)
  if (unconfirmed) return unconfirmed

  const deletedMessage = holder && removeReplacedProof(holder, state)
  const conflictKey = proofConflictKey(message.data.fid, name)
  state.set(conflictKey, toStoredMessage(conflictKey, message))
  state.setName(name, { name, fid: message.data.fid, proof, messageHash: message.hash })
  state.emit(message.data.fid, {
    type: HubEventType.MERGE_USERNAME_PROOF,
    usernameProof: proof,
    deletedUsernameProof: displacedProof(holder),
    usernameProofMessage: message,
    deletedUsernameProofMessage: deletedMessage ?? undefined,
  })
  return null
}

function resolveNameConflict(message: SignedMessage, holder: NameHolder): Refusal | null {
  const proof = message.data.usernameProofBody!
  const byTime = proof.timestamp - holder.proof.timestamp
  // A lost proof may have come without its message.
  const isAgain = isLost(holder) && byTime === 0
  const order = isAgain ? 0 : byTime || Buffer.compare(message.hash, holder.messageHash ?? Buffer.alloc(0))
  if (order === 0) return refuse('bad_request.duplicate', 'message has already been merged')
  if (order < 0) return refuse('bad_request.conflict', 'message conflicts with a more recent add')
  return null
}
