import type { Refusal } from '../../platform/errors.js'
import type { SignedMessage } from '../../protocol/message.js'
import { isChannelType } from '../../protocol/message-kinds.js'
import { proRefusal, requiresPro } from '../../protocol/validate.js'
import { unknownFid } from '../sender-refusals.js'
import { checkScope } from './keys/key-checks.js'
import { ruleOf } from './rules.js'
import type { BatchState } from './state.js'

/** Checks the tier, the fid and the signer of a message against on-chain state (docs/protocol.md §4.12). */
export function checkSender(message: SignedMessage, state: BatchState): Refusal | null {
  const account = state.accounts.get(message.data.fid)
  const isHistorical = state.historical.has(message)
  // Its sender may be of a shard whose log is merged later, and waiting would change the order of the slots.
  if (isHistorical && isChannelType(message.data.type)) return null
  if (!isHistorical && requiresPro(message) && (account?.proUntil ?? 0) < state.nowUnix) {
    return proRefusal(message)
  }
  if (!account) return unknownFid
  return isSignedByGaslessKey(message, state) ? checkScope(message, state.keys) : null
}

/** Returns true if the signer is no on-chain signer, and the body does not stand in for one. */
export function isSignedByGaslessKey(message: SignedMessage, state: BatchState): boolean {
  return !ruleOf(message.data.type).isAuthorizedByBody && !state.maySign(message)
}
