import { recoverAddress } from 'viem/utils'

/** Bytes of an account's signature: r, s and v. A contract's signature may have any length. */
export const ACCOUNT_SIGNATURE_BYTES = 65

/**
 * Recovers the address (20 bytes) of the account that signed a digest (32 bytes); null if the signature is
 * malformed. Takes 1.6 ms: callers with many run it on other threads.
 */
export type AccountRecovery = (digest: Uint8Array, signature: Uint8Array) => Promise<Buffer | null>

/** Recovers in the calling thread. */
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
