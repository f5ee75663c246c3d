/** Longer than any answer takes on a busy machine, but for those that wait for a chain. */
const GIVE_UP_MS = 15_000

/**
 * Asks a server that may be killed meanwhile. Null when there is no answer.
 *
 * Node's `fetch` can wait for ever when the server is killed while the connection is being made (seen with Node 20 and
 * no socket left), so that it is given up after a while.
 */
export async function fetchWithRetries(
  url: string,
  { giveUpMs = GIVE_UP_MS, ...init }: RequestInit & { readonly giveUpMs?: number } = {},
): Promise<Response | null> {
  return await fetch(url, { ...init, signal: AbortSignal.timeout(giveUpMs) }).catch(() => null)
}
