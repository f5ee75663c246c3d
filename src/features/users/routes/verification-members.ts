import { Type } from '@sinclair/typebox'
import { ethAddressParameter } from '../../../api/parameters.js'
import { signerUuidMember } from '../../publishing/routes/acting.js'
import type { AddressClaim } from '../../publishing/verifications.js'

/** A contract's signature may have this many bytes (docs/protocol.md §3.3.6), of two hex digits each. */
const MAX_SIGNATURE_LENGTH = 2 + 2 * 2048

/** An address and its agreement, as the published client sends them. */
export const verificationMembers = {
  signer_uuid: signerUuidMember,
  address: ethAddressParameter({
    description:
      'The address. One of Solana is verified by `message`, with a message that is signed already.',
  }),
  block_hash: Type.String({
    pattern: '^0x[a-fA-F0-9]{64}$',
    patternText: '0x and 64 hex digits',
    description: 'Of a recent block; part of what the address has signed.',
  }),
  eth_signature: Type.String({
    pattern: '^0x(?:[a-fA-F0-9]{2})+$',
    patternText: '0x and hex digits',
    maxLength: MAX_SIGNATURE_LENGTH,
    description: 'The address’s signature over the protocol’s `VerificationClaim` (EIP-712).',
  }),
}

/** The claim that a body holds, as bytes. */
export function claimOf(body: { address: string; block_hash: string; eth_signature: string }): AddressClaim {
  const bytes = (hex: string) => Buffer.from(hex.slice(2), 'hex')
  return {
    address: bytes(body.address),
    blockHash: bytes(body.block_hash),
    signature: bytes(body.eth_signature),
  }
}
