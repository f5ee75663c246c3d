import { createHash, timingSafeEqual } from 'node:crypto'
import { PlazaError } from '../platform/errors.js'
import type { Caller } from './caller.js'

/** The app that a key belongs to; null when it is no key, or no longer one. */
export type FindCaller = (key: string) => Promise<Caller | null>

/** What a request brings to show whose it is, over HTTP as over gRPC. */
export interface KeyedRequest {
  readonly headers: {
    readonly 'x-api-key'?: string | string[] | undefined
    readonly authorization?: string | undefined
  }
}

/**
 * Makes the check of the hub API: it throws `unauthenticated` unless the request brings a key, in `x-api-key` or as
 * a bearer token, that is one of the configured list or belongs to an app. Digests are compared, so that neither
 * the time it takes nor the length of a key tells anything about them.
 *
 * @param configuredKeys Keys separated by commas; empty is none.
 */
export function createKeyCheck(
  configuredKeys: string,
  findCaller: FindCaller,
): (request: KeyedRequest) => Promise<void> {
  const keys = configuredKeys.split(',').map((key) => key.trim())
  const accepted = keys.filter((key) => key !== '').map(digest)
  return async ({ headers }) => {
    const headerKey = headers['x-api-key'] ?? headers.authorization?.replace(/^bearer /i, '')
    if (typeof headerKey === 'string' && headerKey !== '') {
      const keyHash = digest(headerKey)
      if (accepted.some((key) => timingSafeEqual(key, keyHash))) return
      if (await findCaller(headerKey)) return
    }
    throw new PlazaError('unauthenticated', 'a valid API key is needed')
  }
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest()
}
