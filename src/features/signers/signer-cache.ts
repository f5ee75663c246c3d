import { LRUCache } from 'lru-cache'
import type { Database } from '../../platform/db/connection.js'
import type { Vault } from '../../platform/vault/vault.js'
import type { MessageSigner } from '../../protocol/sign.js'
import { type ActingRequest, type ActingSigner, createKeyOpener, findActingSigner } from './acting-signer.js'

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
/** Most cached signers and decrypted keys. */
const MAX_CACHED = 10_000

/**
 * Caches signers that may act: one query per signer and second, shared by concurrent requests.
 *
 * Refusals are not cached, so an approval takes effect at once. A key is decrypted once, since it never
 * changes; the permission to use it is checked separately.
 *
 * @param clock Unix milliseconds.
 */
export function createSignerCache(
  context: { readonly db: Database; readonly vault: Vault },
  clock: () => number,
): SignerCache {
  const signers = new LRUCache<string, { readonly signer: Promise<ActingSigner>; readonly untilMs: number }>({
    max: MAX_CACHED,
  })

  const keys = new LRUCache<string, MessageSigner>({ max: MAX_CACHED })
  const decryptKey = createKeyOpener(context.vault)

  function openKey(signerId: string, sealedKey: Uint8Array): MessageSigner {
    const key = keys.get(signerId) ?? decryptKey(signerId, sealedKey)
    keys.set(signerId, key)
    return key
  }

  const cacheKeyOf = ({ signerUuid, appId, permission }: ActingRequest) =>
    `${appId} ${permission} ${signerUuid.toLowerCase()}`

  function findFresh(request: ActingRequest): Promise<ActingSigner> {
    const cacheKey = cacheKeyOf(request)
    const signer = findActingSigner({ ...context, openKey }, request)
    const entry = { signer, untilMs: clock() + CACHE_MS }
    signers.set(cacheKey, entry)
    signer.catch(() => {
      if (signers.peek(cacheKey) === entry) signers.delete(cacheKey)
    })
    return signer
  }

  return {
    findFresh,
    find: (request) => {
      const cached = signers.get(cacheKeyOf(request))
      return cached && cached.untilMs > clock() ? cached.signer : findFresh(request)
    },
  }
}
