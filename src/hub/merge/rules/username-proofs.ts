import { refuse } from '../../../platform/errors.js'
import type { SignedMessage } from '../../../protocol/message.js'
import { MessageSet } from '../../../protocol/message-kind.js'
import { nameOf } from '../name-holder.js'
import type { MergeRefusal, MergeRule } from '../rule.js'
import type { BatchState } from '../state.js'
import type { ConflictKey } from '../stored-message.js'

/**
 * A name proof that arrives as a message must come from whoever signed it: the owner is the sender's
 * custody address or one that the sender has verified. Who wins the name is settled in `names.ts`.
 */
export const usernameProofRule: MergeRule = {
  conflictKeys: (message) => [ownerConflictKey(message)],
  names: (message) => [nameOf(message.data.usernameProofBody!)],
  check: (message, state) => checkOwner(message, state),
}

function ownerConflictKey({ data }: SignedMessage): ConflictKey {
  return { fid: data.fid, set: MessageSet.verifications, key: Buffer.from(data.usernameProofBody!.owner) }
}

function checkOwner(message: SignedMessage, state: BatchState): MergeRefusal | null {
  const { fid, usernameProofBody } = message.data
  if (state.historical.has(message)) return null
  if (state.accounts.get(fid)!.custodyAddress.equals(usernameProofBody!.owner)) return null
  const conflictKey = ownerConflictKey(message)
  if (state.get(conflictKey)?.message().data.verificationAddAddressBody) return null
  return {
    ...refuse(
      'bad_request.validation_failure',
      'name owner is neither the custody address nor a verified address',
    ),
    causedBy: conflictKey,
  }
}
