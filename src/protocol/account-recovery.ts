import { recoverAddress } from 'viem/utils'

/** r, s and v of an account's signature, in bytes. A contract's signature may have any length. */
export const ACCOUNT_SIGNATURE_BYTES = 65

/**
 * The address (20 bytes) of the account that signed a digest (32 bytes), or null when `signature` is none of
 * an account. 1.6 ms: what asks for many does it on other threads.
 */
export type AccountRecovery = (digest: Uint8Array, signature: Uint8Array) => Promise<Buffer | null>

/** In the calling thread. */
export const recoverAccount: AccountRecovery = async (digest, signature) => {
  if (signature.length !== ACCOUNT_SIGNATURE_BYTES) return null
  try {
    const address = await recoverAddress({ hash: digest, signature })
    return Buffer.from(address.slice(2), 'hex')
  } catch {
    // The library throws on a point that is not on the curve and on an unknown recovery byte alike.
    return null
  }
}
