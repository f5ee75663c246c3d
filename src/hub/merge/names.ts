import { type Refusal, refuse } from '../../platform/errors.js'
import { asBuffer } from '../../protocol/bytes.js'
import { HubEventType, UserDataType, UserNameProof, UserNameType } from '../../protocol/definitions.js'
import type { SignedMessage } from '../../protocol/message.js'
import { MessageSet } from '../../protocol/message-kind.js'
import { farcasterSecondsFromUnixSeconds } from '../../protocol/time.js'
import type { BatchState, NameHolder } from './state.js'
import type { ConflictKey, StoredMessage } from './stored-message.js'

/** Returns the name of a proof. Names are ASCII (docs/protocol.md §3.3.8). */
export function nameOf(proof: UserNameProof): string {
  return Buffer.from(proof.name).toString('utf8')
}

/** Encodes a proof for storage. */
export function encodeProof(proof: UserNameProof): Buffer {
  return Buffer.from(UserNameProof.encode(proof).finish())
}

/** Decodes a stored proof. */
export function decodeProof(bytes: Buffer): UserNameProof {
  return UserNameProof.decode(bytes)
}

/** Returns the conflict key of a USERNAME_PROOF message. */
export function proofConflictKey(fid: number, name: string): ConflictKey {
  return { fid, set: MessageSet.usernameProofs, key: Buffer.from(name) }
}

/** Returns the conflict key of a user's USERNAME entry. */
export function usernameConflictKey(fid: number): ConflictKey {
  return { fid, set: MessageSet.userData, key: Buffer.from([UserDataType.USERNAME]) }
}

/** Returns the conflict key under which a user has verified the owner in a proof, if they have. */
export function ownerConflictKey(fid: number, proof: UserNameProof): ConflictKey {
  return { fid, set: MessageSet.verifications, key: asBuffer(proof.owner) }
}

/** Returns true if the owner in a proof is the custody or a verified address of a registered user. */
export function isOwnedBy(fid: number, proof: UserNameProof, state: BatchState): boolean {
  if (state.accounts.get(fid)!.custodyAddress.equals(proof.owner)) return true
  const verification = state.get(ownerConflictKey(fid, proof))?.message()
  return verification?.data.verificationAddAddressBody !== undefined
}

/**
 * Returns true if a name was taken from the user in its proof, since it no longer resolves to their address: the proof does not
 * come back, a newer one may.
 */
export function isLost({ fid, proof }: NameHolder): boolean {
  return fid === 0 && proof.fid !== 0
}

/** Returns the proof that a merge displaces: none if the name was lost, since the log has the end of its proof already. */
export function displacedProof(holder: NameHolder | null): UserNameProof | undefined {
  return holder === null || isLost(holder) ? undefined : holder.proof
}

/**
 * Merges a transfer of the fname registry, or a proof that an upstream has sent without its message: the later wins, then
 * the larger signature (docs/protocol.md §4.4). Fid 0 releases the name. The message of a replaced proof goes with it. A
 * transfer revokes the USERNAME entry of the previous holder, unless the entry is newer (docs/protocol.md §4.9).
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
  const deletedMessage = holder && removeReplacedProof(holder, state)
  state.setName(name, { name, fid: proof.fid, proof, messageHash: null })
  state.emit(proof.fid || holder?.fid || null, {
    type: HubEventType.MERGE_USERNAME_PROOF,
    usernameProof: proof,
    deletedUsernameProof: displacedProof(holder),
    deletedUsernameProofMessage: deletedMessage ?? undefined,
  })
  const isTransfer = proof.type === UserNameType.USERNAME_TYPE_FNAME
  if (isTransfer && holder && holder.fid !== 0) revokeUsernameBefore(proof, holder, state)
  return null
}

/**
 * Revokes the USERNAME entry of the previous holder that is not later than a transfer, or shows the name that it takes away. The
 * transfer may arrive after the entry of their next name: the registry was read later, or from its beginning.
 */
function revokeUsernameBefore(proof: UserNameProof, holder: NameHolder, state: BatchState): void {
  const entry = state.get(usernameConflictKey(holder.fid))
  if (!entry) return
  const isTaken = proof.fid !== holder.fid && shownName(entry) === holder.name
  if (isTaken || entry.ts <= farcasterSecondsFromUnixSeconds(proof.timestamp))
    revokeUsername(holder.fid, state)
}

function shownName(entry: StoredMessage): string | undefined {
  return entry.message().data.userDataBody?.value
}

/** Removes the message of a replaced proof, and returns it; null if the proof came without one. */
export function removeReplacedProof(holder: NameHolder, state: BatchState): SignedMessage | null {
  const conflictKey = proofConflictKey(holder.fid, holder.name)
  const displaced = state.get(conflictKey)
  if (!displaced) return null
  state.set(conflictKey, null)
  return displaced.message()
}

/**
 * Removes a name that no longer resolves to the owner in its proof, and the USERNAME entry that shows it
 * (docs/protocol.md §4.9). The same proof may merge again.
 */
export function removeLostName(message: SignedMessage, state: BatchState): Refusal | null {
  const proof = message.data.usernameProofBody!
  const name = nameOf(proof)
  const holder = state.name(name)
  if (!holder || holder.fid === 0 || !holder.messageHash?.equals(message.hash))
    return refuse('bad_request.conflict', 'message is not stored')
  takeName(holder, state)
  state.setName(name, null)
  return null
}

/**
 * Takes a name like `removeLostName`, and keeps the proof as that of nobody: an upstream, which revokes no names, lists it with
 * every comparison.
 */
export function releaseLostName(proof: UserNameProof, state: BatchState): Refusal | null {
  const name = nameOf(proof)
  const holder = state.name(name)
  if (!holder || holder.fid === 0 || !encodeProof(holder.proof).equals(encodeProof(proof)))
    return refuse('bad_request.conflict', 'proof is not stored')
  takeName(holder, state)
  state.setName(name, { ...holder, fid: 0 })
  return null
}

/** Removes the message of a name's proof, and the USERNAME entry that shows the name. */
function takeName(holder: NameHolder, state: BatchState): void {
  const deletedMessage = removeReplacedProof(holder, state)
  state.emit(holder.fid, {
    type: HubEventType.MERGE_USERNAME_PROOF,
    deletedUsernameProof: holder.proof,
    deletedUsernameProofMessage: deletedMessage ?? undefined,
  })
  const entry = state.get(usernameConflictKey(holder.fid))
  if (entry && shownName(entry) === holder.name) revokeUsername(holder.fid, state)
}

function revokeUsername(fid: number, state: BatchState): void {
  const conflictKey = usernameConflictKey(fid)
  const username = state.get(conflictKey)
  if (!username) return
  state.set(conflictKey, null)
  state.emit(fid, { type: HubEventType.REVOKE_MESSAGE, message: username.message() })
}
