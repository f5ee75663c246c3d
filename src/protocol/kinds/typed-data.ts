import { type RecoverTypedDataAddressParameters, recoverTypedDataAddress, type TypedData } from 'viem'
import { hexOf } from '../bytes.js'

/** r, s and v of an account's signature, in bytes. A contract's signature may have any length. */
export const ACCOUNT_SIGNATURE_BYTES = 65

/**
 * The address (20 bytes) of the account that signed `typedData` (EIP-712), or null when `signature` is none of
 * an account. Offline: a contract's signature cannot be told from garbage here.
 */
export async function recoverSigner<
  const Types extends TypedData | Record<string, unknown>,
  Primary extends keyof Types | 'EIP712Domain',
>(
  typedData: Omit<RecoverTypedDataAddressParameters<Types, Primary>, 'signature'>,
  signature: Uint8Array,
): Promise<Buffer | null> {
  if (signature.length !== ACCOUNT_SIGNATURE_BYTES) return null
  try {
    const address = await recoverTypedDataAddress({
      ...typedData,
      signature: hexOf(signature),
    } as RecoverTypedDataAddressParameters<Types, Primary>)
    return Buffer.from(address.slice(2), 'hex')
  } catch {
    // The library throws on a point that is not on the curve and on an unknown recovery byte alike.
    return null
  }
}
