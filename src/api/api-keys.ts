import type { KeyedRequest } from '../hub/methods/hub-callers.js'
import type { Caller } from './caller.js'
import type { LookUp } from './unknown-credentials.js'

/**
 * Finds the app of a key; null for an unknown or revoked key.
 *
 * @param lookUpUnknown Looks up keys that are not cached. What it throws is thrown.
 */
export type FindCaller = (key: string, lookUpUnknown?: LookUp) => Promise<Caller | null>

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
