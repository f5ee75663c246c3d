import { type CallerName, callerAt, callerOfKey } from '../platform/limits/caller-name.js'

/** The app that sends a request, and its key. */
export interface Caller {
  readonly appId: string
  readonly keyId: number
  /** Requests per minute. null: the default of the server. 0: no limit. */
  readonly rateLimit: number | null
}

/** Caller without a key: no app has this id, so nothing is banned for it, and no key has this one. */
export const anonymousCaller: Caller = {
  appId: '00000000-0000-0000-0000-000000000000',
  keyId: 0,
  rateLimit: null,
}

/** Whether a request was sent without a key, though it may name an app by `client_id`. */
export function isKeyless({ keyId }: Pick<Caller, 'keyId'>): boolean {
  return keyId === anonymousCaller.keyId
}

/** Names who sends a request, for limits and the log: the key, or the address without one. */
export function callerOf(caller: Pick<Caller, 'keyId'>, address: string): CallerName {
  return isKeyless(caller) ? callerAt(address) : callerOfKey(caller.keyId)
}
