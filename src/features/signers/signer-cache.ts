import { LRUCache } from 'lru-cache'
import type { Database } from '../../platform/db/connection.js'
import type { Vault } from '../../platform/vault/vault.js'
import type { MessageSigner } from '../../protocol/sign.js'
import { type ActingRequest, type ActingSigner, createKeyOpener, findActingSigner } from './acting-signer.js'

/** Finds signers that act, again and again. */
export interface SignerCache {
  /** As `findActingSigner`, but what it found is good for a second. */
  find(request: ActingRequest): Promise<ActingSigner>
  /**
   * As `findActingSigner`, as things stand now. For what is asked when the hub has refused a key, and for
   * operations in which no hub looks at it again.
   */
  findFresh(request: ActingRequest): Promise<ActingSigner>
}

/** A permission that was taken away is good for this long at most. A key that was removed is refused by the merge. */
const CACHE_MS = 1_000
/** Signers that are remembered at once, and keys that are kept open. */
const MAX_CACHED = 10_000

/**
 * Remembers who may act: a busy signer costs one look-up a second. Requests that come together share it. Refusals are
 * not remembered, so that an approval counts at once. A key is opened once: it never changes, and whether it may be
 * used is another matter.
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
