import base58 from 'bs58'
import { verifyEd25519 } from './ed25519.js'
import { type Data, hex } from './message.js'
import type { Decoded } from './schema.js'
import { recoverAddress, verificationDigest } from './typed-data.js'
import { type Fault, invalid } from './verdict.js'

/** Verifications of Ethereum (protocol 0) and Solana (protocol 1) addresses. */

const CHAINS = [0, 1, 5, 10, 420]
const MAX_CLAIM_BYTES = 2048
const unnamed = invalid('Message data invalid')

const lengthOf = (body: Decoded, name: string) => (body[name] as Uint8Array).length

/** Returns the first fault of the body that verifies an address; null without one. */
export function validateVerificationAdd(body: Decoded): Fault | null {
  if (body.protocol === 1) return validateSolana(body)
  if (body.protocol !== 0) return unnamed
  const type = body.verificationType as number
  if (type > 1) return unnamed
  if (!CHAINS.includes((body.chainId as number) & 0xffff)) return unnamed
  return (
    wrongLength(body, 'address', 20, 'invalid length for eth address') ??
    wrongLength(body, 'blockHash', 32, 'blockHash must be 32 bytes') ??
    (lengthOf(body, 'claimSignature') > MAX_CLAIM_BYTES ? invalid('claimSignature > 2048 bytes') : null)
  )
}

/** The documents give no text for bytes that are missing altogether. */
function wrongLength(body: Decoded, name: string, length: number, text: string | null): Fault | null {
  const actual = lengthOf(body, name)
  if (actual === length) return null
  return invalid(actual === 0 ? null : text)
}

function validateSolana(body: Decoded): Fault | null {
  if (lengthOf(body, 'address') !== 32) return invalid(null)
  const wrong = wrongLength(body, 'blockHash', 32, 'blockHash must be 32 bytes')
  if (wrong) return wrong
  return lengthOf(body, 'claimSignature') === 64 ? null : invalid('claimSignature != 64 bytes')
}

/** What an account or a Solana key has signed. Contracts are asked on submit only. */
export function verificationClaimFault(body: Decoded, data: Data): Fault | null {
  const address = body.address as Uint8Array
  const signature = body.claimSignature as Uint8Array
  const blockHash = body.blockHash as Uint8Array
  if (body.protocol === 1) {
    const text =
      `fid: ${data.fid} address: ${base58.encode(address)} network: ${data.network} ` +
      `blockHash: ${base58.encode(blockHash)} protocol: 1`
    const isSigned = verifyEd25519(signature, Buffer.from(text, 'ascii'), address)
    return isSigned ? null : invalid('invalid signature')
  }
  if (body.verificationType !== 0) return null
  const digest = verificationDigest({ fid: data.fid, address, blockHash, network: data.network })
  const signer = recoverAddress(digest, signature)
  return signer !== null && hex(signer) === hex(address) ? null : invalid('invalid claimSignature')
}

/** Returns the fault of the body that removes a verification; null without one. */
export function validateVerificationRemove(body: Decoded): Fault | null {
  if (body.protocol === 0) return wrongLength(body, 'address', 20, 'invalid length for eth address')
  if (body.protocol === 1) return lengthOf(body, 'address') === 32 ? null : invalid(null)
  return invalid(null)
}
