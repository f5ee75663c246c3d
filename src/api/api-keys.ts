import { createHash, timingSafeEqual } from 'node:crypto'
import { PlazaError } from '../platform/errors.js'
import type { Caller } from './caller.js'

/** Finds the app of a key; null for an unknown or revoked key. */
export type FindCaller = (key: string) => Promise<Caller | null>

/** The credentials of a request, over HTTP or gRPC. */
export interface KeyedRequest {
  readonly headers: {
    readonly 'x-api-key'?: string | string[] | undefined
    readonly authorization?: string | undefined
  }
}

/**
 * Creates the key check of the hub API. It throws `unauthenticated` unless `x-api-key` or a bearer token
 * holds a configured key or the key of an app. It compares digests, so that timing reveals neither a key nor
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
