import type { TestUser } from '../../../../test/network.js'
import type { Hub } from '../../../hub/hub.js'
import type { Database } from '../../../platform/db/connection.js'
import { createVault, type Vault } from '../../../platform/vault/vault.js'
import { type OnChainEvent, SignerEventType } from '../../../protocol/definitions.js'
import type { SignerPermission } from '../schema/signer.js'
import { createSigner } from '../signer-record.js'

/** The vault of the API that `createTestApi` creates. */
export const testVault: Vault = createVault(['the secret key of the tests'])

export interface ApprovedSigner {
  readonly id: string
  readonly publicKey: Buffer
}

/** Creates a signer that a registered user has approved on the chain. */
export async function approvedSigner(
  { db, hub }: { readonly db: Database; readonly hub: Pick<Hub, 'submitOnChainEvents'> },
  user: TestUser,
  { appId, permissions = null }: { readonly appId: string; readonly permissions?: SignerPermission[] | null },
): Promise<ApprovedSigner> {
  const signer = await createSigner({ db, vault: testVault }, appId)
  if (permissions !== null) {
    await db`update signers.signers set permissions = ${permissions}::text[] where id = ${signer.id}`
  }
  const [refusal] = await hub.submitOnChainEvents([keyEvent(user, signer, SignerEventType.ADD)])
  if (refusal) throw new Error(refusal.message)
  return signer
}

/** Removes the key of such a signer from the chain. */
export async function revokeSigner(
  hub: Pick<Hub, 'submitOnChainEvents'>,
  user: TestUser,
  signer: ApprovedSigner,
): Promise<void> {
  const [refusal] = await hub.submitOnChainEvents([keyEvent(user, signer, SignerEventType.REMOVE)])
  if (refusal) throw new Error(refusal.message)
}

/**
 * Builds a key event. Each key has its own block, so that its removal comes after its addition.
 *
 * Block numbers are 32-bit; starting below 2·10^9 leaves room for later events of a test.
 */
function keyEvent(user: TestUser, { publicKey }: ApprovedSigner, eventType: SignerEventType): OnChainEvent {
  const block = 1_000_000 + (publicKey.readUInt32BE(0) >>> 1)
  return { ...user.signerEvent(eventType, block, publicKey), logIndex: Number(eventType) }
}
