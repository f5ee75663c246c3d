import { recoverAddress } from 'viem/utils'

/** Bytes of an account's signature: r, s and v. A contract's signature may have any length. */
export const ACCOUNT_SIGNATURE_BYTES = 65

const EVEN_V = 0x1b
const ODD_V = 0x1c

/**
 * Recovers the address (20 bytes) of the account that signed a digest (32 bytes); null if the signature is
 * malformed. Takes 1.6 ms: callers with many run it on other threads.
 */
export type AccountRecovery = (digest: Uint8Array, signature: Uint8Array) => Promise<Buffer | null>

/**
 * Recovers who signed a claim of the protocol, in the calling thread. The last byte counts as the network reads it:
 * 0x00 and 0x1b are even, all others odd (docs/protocol.md §6.2).
 */
export const recoverClaimant: AccountRecovery = async (digest, signature) => {
  if (signature.length !== ACCOUNT_SIGNATURE_BYTES) return null
  const last = signature[ACCOUNT_SIGNATURE_BYTES - 1]!
  const isEven = last === 0x00 || last === EVEN_V
  return recoverAccount(digest, Buffer.from([...signature.subarray(0, -1), isEven ? EVEN_V : ODD_V]))
}

/** Recovers who signed what a contract takes: the last byte is 0, 1, 27 or 28. In the calling thread. */
export const recoverAccount: AccountRecovery = async (digest, signature) => {
  if (signature.length !== ACCOUNT_SIGNATURE_BYTES) return null
  try {
    const address = await recoverAddress({ hash: digest, signature })
    return Buffer.from(address.slice(2), 'hex')
  } catch {
    // The library throws for a point off the curve and for an unknown recovery byte.
    return null
  }
}
