import { createHash, timingSafeEqual } from 'node:crypto'
import type { KeyedRequest, NameKey } from '../hub/methods/hub-callers.js'
import { PlazaError } from '../platform/errors.js'
import type { CallerName } from '../platform/limits/caller-name.js'
import type { Caller } from './caller.js'

/** Finds the app of a key; null for an unknown or revoked key. */
export type FindCaller = (key: string) => Promise<Caller | null>

/**
 * The API key of a request: header `x-api-key`; or, as published clients of before 2024-11 send it, header
 * `api_key` or query `api_key`. Undefined when there is none or an empty one.
 */
export function apiKeyOf({ headers, query }: KeyedRequest): string | undefined {
  const inQuery = (query as { readonly api_key?: unknown } | null | undefined)?.api_key
  const key = headers['x-api-key'] || headers.api_key || inQuery
  return typeof key === 'string' && key !== '' ? key : undefined
}

/** Completes the refusal of a request for its key. */
export const keyHint =
  'send one in the header x-api-key. The operator of the server makes one with: plaza key create --app my-app'

/**
 * Creates what knows the keys of the hub API: `apiKeyOf` or a bearer token that is a configured key or the key of an app.
 * It compares digests, so that timing reveals neither a key nor its length.
 *
 * @param configuredKeys Comma-separated keys; empty for none.
 */
export function createKeyNames(configuredKeys: string, findCaller: FindCaller): NameKey {
  const keys = configuredKeys.split(',').map((key) => key.trim())
  const accepted = keys.filter((key) => key !== '').map(digest)
  return async (request) => {
    const sentKey = apiKeyOf(request) ?? request.headers.authorization?.replace(/^bearer /i, '')
    if (!sentKey) return null
    const keyHash = digest(sentKey)
    const index = accepted.findIndex((key) => timingSafeEqual(key, keyHash))
    if (index >= 0) return `key of the hub ${index + 1}`
    const caller = await findCaller(sentKey)
    return caller && callerOf(caller)
  }
}

/** Names an app's key, for limits of each key. */
export function callerOf({ keyId }: Pick<Caller, 'keyId'>): CallerName {
  return `key ${keyId}`
}

/** Creates the key check of the hub API, which throws `unauthenticated` for a request without a valid key. */
export function createKeyCheck(nameKey: NameKey): (request: KeyedRequest) => Promise<void> {
  return async (request) => {
    if ((await nameKey(request)) === null)
      throw new PlazaError('unauthenticated', `a valid API key is needed: ${keyHint}`)
  }
}

/** The digest by which secrets are compared, so that timing reveals neither a secret nor its length. */
export function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest()
}
