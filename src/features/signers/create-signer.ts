import { randomBytes, randomUUID } from 'node:crypto'
import type { Queryable } from '../../platform/db/connection.js'
import type { Vault } from '../../platform/vault/vault.js'
import { createMessageSigner } from '../../protocol/sign.js'

const PRIVATE_KEY_BYTES = 32

/** Creates a key pair for an app. The private key leaves this function encrypted. */
export async function createSigner(
  { db, vault }: { readonly db: Queryable; readonly vault: Vault },
  appId: string,
): Promise<{ readonly id: string; readonly publicKey: Buffer }> {
  const id = randomUUID()
  const privateKey = randomBytes(PRIVATE_KEY_BYTES)
  const { publicKey } = createMessageSigner(privateKey)
  const sealed = vault.seal(privateKey, signerKeyContext(id))
  await db`
    insert into signers.signers (id, app_id, public_key, sealed_key)
    values (${id}, ${appId}, ${publicKey}, ${sealed})`
  return { id, publicKey }
}

/** Names the private key of a signer for the vault (the additional data of its ciphertext). */
export const signerKeyContext = (signerId: string): string => `signer ${signerId}`
