import { timingSafeEqual } from 'node:crypto'
import { apiKeyOf, type FindCaller, keyHint } from '../api/api-keys.js'
import type { KeyedRequest, NameKey } from '../hub/methods/hub-callers.js'
import { PlazaError } from '../platform/errors.js'
import { callerOfKey } from '../platform/limits/caller-name.js'
import { secretDigest } from '../platform/vault/secret-digest.js'

/**
 * Creates what knows the keys of the hub API: `apiKeyOf` or a bearer token that is a configured key or the key of an app.
 * It compares digests, so that timing reveals neither a key nor its length.
 *
 * @param configuredKeys Comma-separated keys; empty for none.
 */
export function createKeyNames(configuredKeys: string, findCaller: FindCaller): NameKey {
  const keys = configuredKeys.split(',').map((key) => key.trim())
  const accepted = keys.filter((key) => key !== '').map(secretDigest)
  return async (request) => {
    const sentKey = apiKeyOf(request) ?? request.headers.authorization?.replace(/^bearer /i, '')
    if (!sentKey) return null
    const sent = secretDigest(sentKey)
    const index = accepted.findIndex((key) => timingSafeEqual(key, sent))
    if (index >= 0) return `key of the hub ${index + 1}`
    const caller = await findCaller(sentKey)
    return caller && callerOfKey(caller.keyId)
  }
}

/** Creates the key check of the hub API, which throws `unauthenticated` for a request without a valid key. */
export function createKeyCheck(nameKey: NameKey): (request: KeyedRequest) => Promise<void> {
  return async (request) => {
    if ((await nameKey(request)) === null)
      throw new PlazaError('unauthenticated', `a valid API key is needed: ${keyHint}`)
  }
}
