import { HubEventType, UserDataType, type UserNameProof } from '@farcaster/core'
import { type Refusal, refuse } from '../../platform/errors.js'
import type { SignedMessage } from '../../protocol/message.js'
import { MessageSet } from '../../protocol/message-kind.js'
import type { MergeRefusal } from './rule.js'
import { type Slot, standingOf } from './standing.js'
import { nameOf, type StandingName } from './standing-name.js'
import type { BatchState } from './state.js'

/** Where a user's proof of a name stands, if it came as a message. */
export function proofSlot(fid: number, name: string): Slot {
  return { fid, set: MessageSet.usernameProofs, key: Buffer.from(name) }
}

/** Where a user's shown name stands. */
export function usernameSlot(fid: number): Slot {
  return { fid, set: MessageSet.userData, key: Buffer.from([UserDataType.USERNAME]) }
}

/**
 * A transfer of the fname registry: the later one holds the name, then the larger signature. Fid 0 releases
 * it. Whoever held the name before loses the name that its profile shows (docs/protocol.md §4.9).
 */
export function mergeNameTransfer(proof: UserNameProof, state: BatchState): Refusal | null {
  const name = nameOf(proof)
  const standing = state.name(name)
  if (standing) {
    const order =
      proof.timestamp - standing.proof.timestamp || Buffer.compare(proof.signature, standing.proof.signature)
    if (order === 0) return refuse('bad_request.duplicate', 'proof has already been merged')
    if (order < 0) return refuse('bad_request.conflict', 'proof conflicts with a more recent transfer')
  }
  state.setName(name, { name, fid: proof.fid, proof, messageHash: null })
  state.emit(proof.fid || standing?.fid || null, {
    type: HubEventType.MERGE_USERNAME_PROOF,
    usernameProof: proof,
    deletedUsernameProof: standing?.proof,
  })
  if (standing && standing.fid !== 0) revokeUsername(standing.fid, state)
  return null
}

function revokeUsername(fid: number, state: BatchState): void {
  const slot = usernameSlot(fid)
  const username = state.at(slot)
  if (!username) return
  state.set(slot, null)
  state.emit(fid, { type: HubEventType.REVOKE_MESSAGE, message: username.message() })
}

/**
 * A name proof that came as a message. It competes for the name with the proofs of all fids, by time and
 * then hash, and its event is MERGE_USERNAME_PROOF (docs/protocol.md §4.4).
 */
export function mergeNameProof(message: SignedMessage, state: BatchState): MergeRefusal | null {
  const proof = message.data.usernameProofBody!
  const name = nameOf(proof)
  const standing = state.name(name)
  const refusal = standing && competeForName(message, standing)
  if (refusal) return { ...refusal, causedBy: proofSlot(standing.fid, name) }

  const deletedMessage = standing && displaceProof(standing, state)
  const slot = proofSlot(message.data.fid, name)
  state.set(slot, standingOf(slot, message))
  state.setName(name, { name, fid: message.data.fid, proof, messageHash: message.hash })
  state.emit(message.data.fid, {
    type: HubEventType.MERGE_USERNAME_PROOF,
    usernameProof: proof,
    deletedUsernameProof: standing?.proof,
    usernameProofMessage: message,
    deletedUsernameProofMessage: deletedMessage ?? undefined,
  })
  return null
}

function competeForName(message: SignedMessage, standing: StandingName): Refusal | null {
  const proof = message.data.usernameProofBody!
  const byTime = proof.timestamp - standing.proof.timestamp
  const order = byTime || Buffer.compare(message.hash, standing.messageHash ?? Buffer.alloc(0))
  if (order === 0) return refuse('bad_request.duplicate', 'message has already been merged')
  if (order < 0) return refuse('bad_request.conflict', 'message conflicts with a more recent add')
  return null
}

function displaceProof(standing: StandingName, state: BatchState): SignedMessage | null {
  const slot = proofSlot(standing.fid, standing.name)
  const displaced = state.at(slot)
  if (!displaced) return null
  state.set(slot, null)
  return displaced.message()
}
