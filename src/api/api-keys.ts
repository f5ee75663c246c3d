import { createHash, timingSafeEqual } from 'node:crypto'
import { PlazaError } from '../platform/errors.js'
import type { Caller } from './caller.js'

/** Finds the app of a key; null for an unknown or revoked key. */
export type FindCaller = (key: string) => Promise<Caller | null>

/** The credentials of a request, over HTTP or gRPC. */
export interface KeyedRequest {
  readonly headers: {
    readonly 'x-api-key'?: string | string[] | undefined
    readonly api_key?: string | string[] | undefined
    readonly authorization?: string | undefined
  }
  readonly query?: unknown
}

/**
 * The API key of a request: header `x-api-key`; or, as published clients of before 2024-11 send it, header
 * `api_key` or query `api_key`. Undefined when there is none or an empty one.
 */
export function apiKeyOf({ headers, query }: KeyedRequest): string | undefined {
  const inQuery = (query as { readonly api_key?: unknown } | null | undefined)?.api_key
  const key = headers['x-api-key'] || headers.api_key || inQuery
  return typeof key === 'string' && key !== '' ? key : undefined
}

/**
 * Creates the key check of the hub API. It throws `unauthenticated` unless `apiKeyOf` or a bearer token is a
 * configured key or the key of an app. It compares digests, so that timing reveals neither a key nor
 * its length.
 *
 * @param configuredKeys Comma-separated keys; empty for none.
 */
export function createKeyCheck(
  configuredKeys: string,
  findCaller: FindCaller,
): (request: KeyedRequest) => Promise<void> {
  const keys = configuredKeys.split(',').map((key) => key.trim())
  const accepted = keys.filter((key) => key !== '').map(digest)
  return async (request) => {
    const sentKey = apiKeyOf(request) ?? request.headers.authorization?.replace(/^bearer /i, '')
    if (sentKey) {
      const keyHash = digest(sentKey)
      if (accepted.some((key) => timingSafeEqual(key, keyHash))) return
      if (await findCaller(sentKey)) return
    }
    throw new PlazaError('unauthenticated', 'a valid API key is needed')
  }
}

/** The digest by which secrets are compared, so that timing reveals neither a secret nor its length. */
export function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest()
}
