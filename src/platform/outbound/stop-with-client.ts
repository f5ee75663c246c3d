import type { NetClient } from './net-client.js'

/**
 * Stops what sends requests through a client, then closes the client. After the limit it is closed at once, so that requests
 * to slow targets end before the process has to.
 */
export async function stopWithClient(
  net: Pick<NetClient, 'close'>,
  stop: () => Promise<void>,
  limitMs: number,
): Promise<void> {
  const timer = setTimeout(() => void net.close(), limitMs)
  await stop().finally(() => clearTimeout(timer))
  await net.close()
}
