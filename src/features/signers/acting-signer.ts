import { LRUCache } from 'lru-cache'
import type { Database } from '../../platform/db/connection.js'
import { PlazaError } from '../../platform/errors.js'
import { PromiseCache } from '../../platform/promise-cache.js'
import type { Vault } from '../../platform/vault/vault.js'
import { createMessageSigner, type MessageSigner } from '../../protocol/sign.js'
import type { SignerPermission } from './schema/signer.js'
import { findSigner, signerKeyContext } from './signer-record.js'

/**
 * A permission that an operation requires. Writes without one of their own, such as blocks and what the lead of a channel
 * does, require `WRITE_ALL`: a user who grants only casts has not agreed to them.
 */
export type RequiredPermission =
  | Exclude<SignerPermission, 'READ_ONLY' | 'NONE'>
  /** For seen marks, which any signer that may write can set. */
  | 'any write'

const readOnlyPermissions: ReadonlySet<SignerPermission> = new Set(['READ_ONLY', 'NONE'])

/** Whether granted permissions cover the required one. Null grants everything. */
export function isPermitted(
  granted: readonly SignerPermission[] | null,
  required: RequiredPermission,
): boolean {
  if (granted === null || granted.includes('WRITE_ALL')) return true
  return required === 'any write'
    ? granted.some((permission) => !readOnlyPermissions.has(permission))
    : granted.includes(required)
}

interface ActingSigner {
  readonly id: string
  /** The user that it acts for. */
  readonly fid: number
  readonly key: MessageSigner
}

interface ActingRequest {
  readonly signerUuid: string
  /** The app of the API key. */
  readonly appId: string
  readonly permission: RequiredPermission
}

interface SignerAccess {
  readonly db: Database
  readonly vault: Vault
}

type OpenKey = (signerId: string, sealedKey: Uint8Array) => MessageSigner

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
  { db, vault }: SignerAccess,
  { signerUuid, appId, permission }: ActingRequest,
  openKey = createKeyOpener(vault),
): Promise<ActingSigner> {
  const found = await findSigner(db, signerUuid)
  if (found === null) throw signerError('not_found', 'there is no such signer')
  if (found.appId !== appId) throw signerError('forbidden.other_app', 'this signer belongs to another app')
  if (found.status === 'revoked') throw signerError('forbidden.signer_revoked', 'this signer is revoked')
  if (found.status !== 'approved' || found.fid === null)
    throw signerError('forbidden.signer_not_approved', 'the user has not approved this signer')
  if (isPermitted(found.permissions, permission))
    return { id: found.id, fid: found.fid, key: openKey(found.id, found.sealedKey) }
  const message = `this signer lacks the permission for this: ${permission}`
  throw signerError('forbidden.permission_missing', message)
}

function signerError(code: ConstructorParameters<typeof PlazaError>[0], message: string): PlazaError {
  return new PlazaError(code, message, { property: 'signer_uuid' })
}

/** Finds signers that may act, with a cache. */
export interface SignerCache {
  /** As `findActingSigner`; the result may be up to a second old. */
  find(request: ActingRequest): Promise<ActingSigner>
  /**
   * As `findActingSigner`, without the cache. Used when the hub refused a key and by operations that the hub
   * does not check.
   */
  findFresh(request: ActingRequest): Promise<ActingSigner>
}

/**
 * How long a result is cached. A withdrawn permission still counts for this long; the merge refuses removed
 * keys itself.
 */
const CACHE_MS = 1_000
const MAX_CACHED = 10_000

/**
 * Caches signers that may act: one query per signer and second, shared by concurrent requests.
 *
 * Refusals are not cached, so an approval takes effect at once. A key is decrypted once, since it never
 * changes; the permission to use it is checked separately.
 */
export function createSignerCache(context: SignerAccess, clock: () => number): SignerCache {
  const signers = new PromiseCache<ActingSigner>({ max: MAX_CACHED, ttlMs: CACHE_MS, clock })
  const keys = new LRUCache<string, MessageSigner>({ maxSize: MAX_CACHED, sizeCalculation: () => 1 })
  const decryptKey = createKeyOpener(context.vault)
  const openKey: OpenKey = (signerId, sealedKey) => {
    const key = keys.get(signerId) ?? decryptKey(signerId, sealedKey)
    keys.set(signerId, key)
    return key
  }
  const cacheKeyOf = ({ signerUuid, appId, permission }: ActingRequest) =>
    `${appId} ${permission} ${signerUuid.toLowerCase()}`
  const load = (request: ActingRequest) => () => findActingSigner(context, request, openKey)
  return {
    find: (request) => signers.read(cacheKeyOf(request), load(request)),
    findFresh: (request) => signers.refresh(cacheKeyOf(request), load(request)),
  }
}
