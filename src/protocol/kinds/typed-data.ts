import { type HashTypedDataParameters, hashTypedData, type TypedData } from 'viem'
import { ACCOUNT_SIGNATURE_BYTES, type AccountRecovery } from '../account-recovery.js'

/**
 * The address (20 bytes) of the account that signed `typedData` (EIP-712), or null when `signature` is none of
 * an account. Offline: a contract's signature cannot be told from garbage here.
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
    // The library throws on values that their EIP-712 type cannot hold, such as an owner of 21 bytes.
    return null
  }
  return recover(digest, signature)
}
