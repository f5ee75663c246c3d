import { LRUCache } from 'lru-cache'
import type { Database } from '../../platform/db/connection.js'
import type { Vault } from '../../platform/vault/vault.js'
import type { MessageSigner } from '../../protocol/sign.js'
import { type ActingRequest, type ActingSigner, findActingSigner, keyOpener } from './acting-signer.js'

/** Finds signers that act, again and again. */
export interface SignerMemory {
  /** As `findActingSigner`, but what it found is good for a second. */
  find(request: ActingRequest): Promise<ActingSigner>
  /**
   * As `findActingSigner`, as things stand now. For what is asked when the hub has refused a key, and for
   * operations in which no hub looks at it again.
   */
  findNow(request: ActingRequest): Promise<ActingSigner>
}

/** A permission that was taken away is good for this long at most. A key that was removed is refused by the merge. */
const REMEMBERED_MS = 1_000
/** Signers that are remembered at once, and keys that are kept open. */
const MAX_REMEMBERED = 10_000

/**
 * Remembers who may act: a busy signer costs one look-up a second. Requests that come together share it. Refusals are
 * not remembered, so that an approval counts at once. A key is opened once: it never changes, and whether it may be
 * used is another matter.
 *
 * @param clock Unix milliseconds.
 */
export function createSignerMemory(
  parts: { readonly db: Database; readonly vault: Vault },
  clock: () => number,
): SignerMemory {
  const found = new LRUCache<string, { readonly signer: Promise<ActingSigner>; readonly untilMs: number }>({
    max: MAX_REMEMBERED,
  })

  const keys = new LRUCache<string, MessageSigner>({ max: MAX_REMEMBERED })
  const open = keyOpener(parts.vault)

  function openKey(signerId: string, sealedKey: Uint8Array): MessageSigner {
    const key = keys.get(signerId) ?? open(signerId, sealedKey)
    keys.set(signerId, key)
    return key
  }

  const nameOf = ({ signerUuid, appId, permission }: ActingRequest) =>
    `${appId} ${permission} ${signerUuid.toLowerCase()}`

  function findNow(request: ActingRequest): Promise<ActingSigner> {
    const name = nameOf(request)
    const signer = findActingSigner({ ...parts, openKey }, request)
    const entry = { signer, untilMs: clock() + REMEMBERED_MS }
    found.set(name, entry)
    signer.catch(() => {
      if (found.peek(name) === entry) found.delete(name)
    })
    return signer
  }

  return {
    findNow,
    find: (request) => {
      const known = found.get(nameOf(request))
      return known && known.untilMs > clock() ? known.signer : findNow(request)
    },
  }
}
