import { hashMessage } from 'viem'
import { PlazaError } from '../../platform/errors.js'
import { ACCOUNT_SIGNATURE_BYTES, recoverAccount } from '../../protocol/account-recovery.js'

/** Half the order of secp256k1. Contracts refuse a larger s (EIP-2), and so does this server. */
const HALF_ORDER = 0x7fffffff_ffffffff_ffffffff_ffffffff_5d576e73_57a4501d_dfe92f46_681b20a0n

const hexText = /^0x([0-9a-f]{2})+$/i

/** Most characters of a signature parameter; signatures of contract wallets are long. */
export const MAX_SIGNATURE_LENGTH = 8_192

/** Reads a signature of an account: `0x` and 65 bytes in hex. @throws PlazaError that names `property`. */
export function readAccountSignature(text: string, property = 'signature'): Buffer {
  const signature = readWalletSignature(text, property)
  if (signature.length === ACCOUNT_SIGNATURE_BYTES) return signature
  throw invalidParam(
    property,
    'must be the 65 bytes that an account signs with: the signature of a contract wallet is not accepted here',
  )
}

/** Reads a signature of any wallet, which may be a contract: `0x` and hex digits. @throws PlazaError. */
export function readWalletSignature(text: string, property = 'signature'): Buffer {
  if (!hexText.test(text)) throw invalidParam(property, 'must be 0x and hex digits')
  return Buffer.from(text.slice(2), 'hex')
}

/** Reads a signature for a contract, which accepts only one of the forms: v 27 or 28 and a low s. */
export function readContractSignature(text: string, property = 'signature'): Buffer {
  const signature = readAccountSignature(text, property)
  const s = BigInt(`0x${signature.toString('hex', 32, 64)}`)
  const v = signature[64]
  if ((v === 27 || v === 28) && s <= HALF_ORDER) return signature
  throw invalidParam(property, 'must end with 27 or 28 and have a low s, as the contracts ask for')
}

/** Recovers the address (20 bytes) that signed a message with `personal_sign` (EIP-191). */
export function recoverMessageSigner(message: string | Buffer, signature: Buffer): Promise<Buffer | null> {
  const digest = hashMessage(typeof message === 'string' ? message : { raw: message }, 'bytes')
  return recoverAccount(digest, signature)
}

function invalidParam(property: string, problem: string): PlazaError {
  return new PlazaError('bad_request.invalid_param', `${property} ${problem}`, { property })
}
