/** Longer than any reply on a busy machine, except those that wait for a chain. */
const GIVE_UP_MS = 15_000

/**
 * Sends a request once to a server that may be killed meanwhile. Null without a reply.
 *
 * In Node.js 20, `fetch` can wait for ever if the server is killed while the connection is being opened, so
 * it has a timeout.
 */
export async function tryFetch(
  url: string,
  { giveUpMs = GIVE_UP_MS, ...init }: RequestInit & { readonly giveUpMs?: number } = {},
): Promise<Response | null> {
  return await fetch(url, { ...init, signal: AbortSignal.timeout(giveUpMs) }).catch(() => null)
}
