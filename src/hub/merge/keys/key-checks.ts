import { type Refusal, refuse } from '../../../platform/errors.js'
import type { SignedMessage } from '../../../protocol/message.js'
import { invalidSigner } from '../../sender-refusals.js'
import type { KeyState } from './key-state.js'

/** Returns why a signer that is not on chain may not sign the message's type; null for a key with that scope. */
export function checkScope({ signer, data }: SignedMessage, keys: KeyState): Refusal | null {
  const key = keys.get(signer)
  if (key?.fid !== data.fid) return invalidSigner
  if (key.scopes.includes(data.type)) return null
  const text = `message type ${data.type} is not in the scope of the gasless signer`
  return refuse('bad_request.validation_failure', text)
}

/** Returns why the key that signed a message has expired; null if it has not. @param now Farcaster seconds. */
export function checkExpiry({ signer }: SignedMessage, keys: KeyState, now: number): Refusal | null {
  const { lastUsedAt, ttlSeconds } = keys.get(signer)!
  if (lastUsedAt + ttlSeconds >= now) return null
  const text = `gasless-key last_used_at expired: stored=${lastUsedAt} + ttl=${ttlSeconds} < current_block_timestamp=${now}`
  return refuse('bad_request.validation_failure', text)
}
