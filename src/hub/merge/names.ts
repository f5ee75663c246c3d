import { HubEventType, UserDataType, type UserNameProof } from '@farcaster/core'
import { type Refusal, refuse } from '../../platform/errors.js'
import type { SignedMessage } from '../../protocol/message.js'
import { MessageSet } from '../../protocol/message-kind.js'
import { type NameHolder, nameOf } from './name-holder.js'
import type { MergeRefusal } from './rule.js'
import type { BatchState } from './state.js'
import { type ConflictKey, toStoredMessage } from './stored-message.js'

/** Where a user's proof of a name stands, if it came as a message. */
export function proofConflictKey(fid: number, name: string): ConflictKey {
  return { fid, set: MessageSet.usernameProofs, key: Buffer.from(name) }
}

/** Where a user's shown name stands. */
export function usernameConflictKey(fid: number): ConflictKey {
  return { fid, set: MessageSet.userData, key: Buffer.from([UserDataType.USERNAME]) }
}

/**
 * A transfer of the fname registry: the later one holds the name, then the larger signature. Fid 0 releases
 * it. Whoever held the name before loses the name that its profile shows (docs/protocol.md §4.9).
 */
export function mergeNameTransfer(proof: UserNameProof, state: BatchState): Refusal | null {
  const name = nameOf(proof)
  const holder = state.name(name)
  if (holder) {
    const order =
      proof.timestamp - holder.proof.timestamp || Buffer.compare(proof.signature, holder.proof.signature)
    if (order === 0) return refuse('bad_request.duplicate', 'proof has already been merged')
    if (order < 0) return refuse('bad_request.conflict', 'proof conflicts with a more recent transfer')
  }
  state.setName(name, { name, fid: proof.fid, proof, messageHash: null })
  state.emit(proof.fid || holder?.fid || null, {
    type: HubEventType.MERGE_USERNAME_PROOF,
    usernameProof: proof,
    deletedUsernameProof: holder?.proof,
  })
  if (holder && holder.fid !== 0) revokeUsername(holder.fid, state)
  return null
}

function revokeUsername(fid: number, state: BatchState): void {
  const conflictKey = usernameConflictKey(fid)
  const username = state.get(conflictKey)
  if (!username) return
  state.set(conflictKey, null)
  state.emit(fid, { type: HubEventType.REVOKE_MESSAGE, message: username.message() })
}

/**
 * A name proof that came as a message. It competes for the name with the proofs of all fids, by time and
 * then hash, and its event is MERGE_USERNAME_PROOF (docs/protocol.md §4.4).
 */
export function mergeNameProof(message: SignedMessage, state: BatchState): MergeRefusal | null {
  const proof = message.data.usernameProofBody!
  const name = nameOf(proof)
  const holder = state.name(name)
  const refusal = holder && resolveNameConflict(message, holder)
  if (refusal) return { ...refusal, causedBy: proofConflictKey(holder.fid, name) }

  const deletedMessage = holder && removeReplacedProof(holder, state)
  const conflictKey = proofConflictKey(message.data.fid, name)
  state.set(conflictKey, toStoredMessage(conflictKey, message))
  state.setName(name, { name, fid: message.data.fid, proof, messageHash: message.hash })
  state.emit(message.data.fid, {
    type: HubEventType.MERGE_USERNAME_PROOF,
    usernameProof: proof,
    deletedUsernameProof: holder?.proof,
    usernameProofMessage: message,
    deletedUsernameProofMessage: deletedMessage ?? undefined,
  })
  return null
}

function resolveNameConflict(message: SignedMessage, holder: NameHolder): Refusal | null {
  const proof = message.data.usernameProofBody!
  const byTime = proof.timestamp - holder.proof.timestamp
  const order = byTime || Buffer.compare(message.hash, holder.messageHash ?? Buffer.alloc(0))
  if (order === 0) return refuse('bad_request.duplicate', 'message has already been merged')
  if (order < 0) return refuse('bad_request.conflict', 'message conflicts with a more recent add')
  return null
}

function removeReplacedProof(holder: NameHolder, state: BatchState): SignedMessage | null {
  const conflictKey = proofConflictKey(holder.fid, holder.name)
  const displaced = state.get(conflictKey)
  if (!displaced) return null
  state.set(conflictKey, null)
  return displaced.message()
}
