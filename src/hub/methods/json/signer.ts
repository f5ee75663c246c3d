import { SignerSource } from '@farcaster/core'
import { hexOf } from '../../../protocol/bytes.js'
import type { SignerDescription } from '../../signer.js'
import { messageTypeNames, nameOf } from './enum-names.js'
import { onChainEventJson } from './onchain-event.js'

/** A key that may sign for a user, of either source. All times are Unix seconds. */
export function signerJson(signer: SignerDescription): object {
  const { key, keyType, fid, addedAt } = signer
  const common = { key: hexOf(key), keyType, fid, addedAt }
  if (signer.source === SignerSource.ONCHAIN) {
    const { onchainEvent: event } = signer
    return { source: 'SIGNER_SOURCE_ONCHAIN', ...common, onChainEvent: event && onChainEventJson(event) }
  }
  const { lastUsedAt, ttl, expiresAt, requestFid, nonce } = signer
  const scopes = signer.scopes.map((scope) => nameOf(messageTypeNames, scope))
  return {
    source: 'SIGNER_SOURCE_OFFCHAIN',
    ...common,
    lastUsedAt,
    ttl,
    expiresAt,
    scopes,
    requestFid,
    nonce,
  }
}
