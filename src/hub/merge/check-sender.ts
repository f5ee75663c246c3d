import type { Refusal } from '../../platform/errors.js'
import type { SignedMessage } from '../../protocol/message.js'
import { farcasterSecondsFromUnixSeconds } from '../../protocol/time.js'
import { proRefusal, requiresPro } from '../../protocol/validate.js'
import { invalidSigner, unknownFid } from '../sender-refusals.js'
import { canSign } from './gasless-keys.js'
import { ruleOf } from './rules.js'
import type { BatchState } from './state.js'

/** Checks the tier, the fid and the signer of a message against on-chain state (docs/protocol.md §4.12). */
export function checkSender(message: SignedMessage, state: BatchState): Refusal | null {
  const account = state.accounts.get(message.data.fid)
  const isHistorical = state.historical.has(message)
  if (!isHistorical && requiresPro(message) && (account?.proUntil ?? 0) < state.nowUnix) {
    return proRefusal(message)
  }
  if (!account) return unknownFid
  const now = farcasterSecondsFromUnixSeconds(state.nowUnix)
  const key = state.keys.get(message.signer)
  const isSigner = key?.fid === account.fid && canSign(key, message.data.type, now)
  const isAuthorized = ruleOf(message.data.type).isAuthorizedByBody || state.maySign(message) || isSigner
  return isAuthorized ? null : invalidSigner
}
