import { type CallerName, callerAt } from '../../platform/limits/caller-name.js'

/** Names the API key of a request or call, by its headers; null without a valid one. */
export type NameKey = (request: {
  readonly headers: {
    readonly 'x-api-key'?: string | string[] | undefined
    readonly api_key?: string | string[] | undefined
    readonly authorization?: string | undefined
  }
  readonly query?: unknown
}) => Promise<CallerName | null>

/** Names who sends a request: its key, or the address without a valid one. A made-up key is no caller of its own. */
export async function callerOfHub(
  nameKey: NameKey | undefined,
  request: Parameters<NameKey>[0],
  address: string,
): Promise<CallerName> {
  return (await nameKey?.(request)) ?? callerAt(address)
}
