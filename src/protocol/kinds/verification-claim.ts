import { eip712, type MessageData, Protocol, type VerificationAddAddressBody } from '@farcaster/core'
import base58 from 'bs58'
import { type AccountRecovery, recoverAccount } from '../account-recovery.js'
import { asBuffer, hexOf } from '../bytes.js'
import { verifyEd25519 } from '../ed25519.js'
import { recoverSigner } from './typed-data.js'

/** Type of the signer: an account, or a contract (ERC-1271, ERC-6492). */
export const VerificationType = { account: 0, contract: 1 } as const

/**
 * Checks the signature by which an address claims to belong to a fid (docs/protocol.md §3.3.6). Returns the
 * broken rule, or null.
 */
export async function checkVerificationClaim(
  body: VerificationAddAddressBody,
  data: MessageData,
  _message?: unknown,
  recover: AccountRecovery = recoverAccount,
): Promise<string | null> {
  if (body.protocol === Protocol.SOLANA) return checkSolanaClaim(body, data)
  const signer = await recoverSigner(
    {
      domain: eip712.EIP_712_FARCASTER_DOMAIN,
      types: { VerificationClaim: eip712.EIP_712_FARCASTER_VERIFICATION_CLAIM },
      primaryType: 'VerificationClaim',
      message: {
        fid: BigInt(data.fid),
        address: hexOf(body.address),
        blockHash: hexOf(body.blockHash),
        network: data.network,
      },
    },
    body.claimSignature,
    recover,
  )
  return signer?.equals(body.address) ? null : 'invalid claimSignature'
}

/** Returns the text that a Solana wallet signs. */
export function solanaClaim(
  body: Pick<VerificationAddAddressBody, 'address' | 'blockHash'>,
  data: Pick<MessageData, 'fid' | 'network'>,
): string {
  const address = base58.encode(asBuffer(body.address))
  const blockHash = base58.encode(asBuffer(body.blockHash))
  return `fid: ${data.fid} address: ${address} network: ${data.network} blockHash: ${blockHash} protocol: 1`
}

function checkSolanaClaim(body: VerificationAddAddressBody, data: MessageData): string | null {
  const claim = Buffer.from(solanaClaim(body, data))
  return verifyEd25519(body.claimSignature, claim, body.address) ? null : 'invalid claimSignature'
}
