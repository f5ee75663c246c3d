import { refuse } from '../../../platform/errors.js'
import type { SignedMessage } from '../../../protocol/message.js'
import { MessageSet } from '../../../protocol/message-kind.js'
import type { MergeRefusal, MergeRule } from '../rule.js'
import type { Slot } from '../standing.js'
import { nameOf } from '../standing-name.js'
import type { BatchState } from '../state.js'

/**
 * A name proof that arrives as a message must come from whoever signed it: the owner is the sender's
 * custody address or one that the sender has verified. Who wins the name is settled in `names.ts`.
 */
export const usernameProofRule: MergeRule = {
  slots: (message) => [ownerSlot(message)],
  names: (message) => [nameOf(message.data.usernameProofBody!)],
  check: (message, state) => checkOwner(message, state),
}

function ownerSlot({ data }: SignedMessage): Slot {
  return { fid: data.fid, set: MessageSet.verifications, key: Buffer.from(data.usernameProofBody!.owner) }
}

function checkOwner(message: SignedMessage, state: BatchState): MergeRefusal | null {
  const { fid, usernameProofBody } = message.data
  if (state.admitted.has(message)) return null
  if (state.accounts.get(fid)!.custodyAddress.equals(usernameProofBody!.owner)) return null
  const slot = ownerSlot(message)
  if (state.at(slot)?.message().data.verificationAddAddressBody) return null
  return {
    ...refuse(
      'bad_request.validation_failure',
      'name owner is neither the custody address nor a verified address',
    ),
    causedBy: slot,
  }
}
