import { type HashTypedDataParameters, hashTypedData, type TypedData } from 'viem'
import { ACCOUNT_SIGNATURE_BYTES, type AccountRecovery } from '../account-recovery.js'

/**
 * Recovers the address (20 bytes) of the account that signed `typedData` (EIP-712); null if the signature is
 * malformed. Offline: a contract's signature looks malformed here.
 */
export async function recoverSigner<
  const Types extends TypedData | Record<string, unknown>,
  Primary extends keyof Types | 'EIP712Domain',
>(
  typedData: HashTypedDataParameters<Types, Primary>,
  signature: Uint8Array,
  recover: AccountRecovery,
): Promise<Buffer | null> {
  if (signature.length !== ACCOUNT_SIGNATURE_BYTES) return null
  let digest: Buffer
  try {
    digest = Buffer.from(hashTypedData(typedData).slice(2), 'hex')
  } catch {
    // The library throws for values that their EIP-712 type cannot hold, such as an owner of 21 bytes.
    return null
  }
  return recover(digest, signature)
}
