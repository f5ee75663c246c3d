import { HubEventType, UserDataType, type UserNameProof } from '@farcaster/core'
import { type Refusal, refuse } from '../../platform/errors.js'
import { MessageSet } from '../../protocol/message-kind.js'
import { nameOf } from './name-holder.js'
import type { BatchState } from './state.js'
import type { ConflictKey } from './stored-message.js'

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
