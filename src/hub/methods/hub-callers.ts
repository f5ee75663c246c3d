import { type CallerName, callerAt } from '../../platform/limits/caller-name.js'

/** The credentials of a request, over HTTP or gRPC. */
export interface KeyedRequest {
  readonly headers: {
    readonly 'x-api-key'?: string | string[] | undefined
    readonly api_key?: string | string[] | undefined
    readonly authorization?: string | undefined
  }
  readonly query?: unknown
}

/** Names the API key of a request, for limits of each key; null without a valid one. */
export type NameKey = (request: KeyedRequest) => Promise<CallerName | null>

/** Names who sends a request: its key, or the address without a valid one. A made-up key is no caller of its own. */
export async function callerOfHub(
  nameKey: NameKey | undefined,
  request: KeyedRequest,
  address: string,
): Promise<CallerName> {
  return (await nameKey?.(request)) ?? callerAt(address)
}
