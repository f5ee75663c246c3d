import type { Database } from '../../platform/db/connection.js'
import { PlazaError } from '../../platform/errors.js'
import type { Vault } from '../../platform/vault/vault.js'
import { createMessageSigner, type MessageSigner } from '../../protocol/sign.js'
import { signerKeyContext } from './create-signer.js'
import { findSigner } from './find-signer.js'
import { isPermitted, type RequiredPermission } from './permissions.js'

/** A signer that may act. */
export interface ActingSigner {
  readonly id: string
  /** The user that it acts for. */
  readonly fid: number
  readonly key: MessageSigner
}

/** Which app acts, with which signer and for which permission. */
export interface ActingRequest {
  readonly signerUuid: string
  /** The app of the API key. */
  readonly appId: string
  readonly permission: RequiredPermission
}

/** Dependencies of `findActingSigner`. */
export interface ActingContext {
  readonly db: Database
  readonly vault: Vault
  /** Decrypts keys; by default the vault decrypts on each call. */
  readonly openKey?: OpenKey
}

/** Decrypts the private key of a signer. */
export type OpenKey = (signerId: string, sealedKey: Uint8Array) => MessageSigner

/**
 * Creates a key opener without a cache: each call decrypts, which costs about as much as signing ten
 * messages.
 */
export function createKeyOpener(vault: Vault): OpenKey {
  return (signerId, sealedKey) => createMessageSigner(vault.open(sealedKey, signerKeyContext(signerId)))
}

/**
 * Finds the signer that a request names and checks its permission.
 *
 * @throws PlazaError `not_found`; `forbidden.other_app`; `forbidden.signer_not_approved` before the user
 * approves; `forbidden.signer_revoked`; `forbidden.permission_missing`.
 */
export async function findActingSigner(
  { db, vault, openKey = createKeyOpener(vault) }: ActingContext,
  { signerUuid, appId, permission }: ActingRequest,
): Promise<ActingSigner> {
  const found = await findSigner(db, signerUuid)
  if (found === null) throw signerError('not_found', 'there is no such signer')
  if (found.appId !== appId) throw signerError('forbidden.other_app', 'this signer belongs to another app')
  if (found.status === 'revoked') throw signerError('forbidden.signer_revoked', 'this signer is revoked')
  if (found.status !== 'approved' || found.fid === null) {
    throw signerError('forbidden.signer_not_approved', 'the user has not approved this signer')
  }
  if (!isPermitted(found.permissions, permission)) {
    throw signerError(
      'forbidden.permission_missing',
      `this signer lacks the permission for this: ${permission}`,
    )
  }
  return { id: found.id, fid: found.fid, key: openKey(found.id, found.sealedKey) }
}

function signerError(code: ConstructorParameters<typeof PlazaError>[0], message: string): PlazaError {
  return new PlazaError(code, message, { property: 'signer_uuid' })
}
