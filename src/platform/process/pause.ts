import { setImmediate, setTimeout as sleep } from 'node:timers/promises'

/** Waits for `ms` milliseconds, or until the signal aborts. Leaves no listener on the signal. */
export async function pause(ms: number, signal?: AbortSignal): Promise<void> {
  await sleep(ms, undefined, { ...(signal && { signal }) }).catch(() => {})
}

/**
 * Returns the result of work, or null after the timeout; the work continues. After a long turn of the event loop the timeout
 * is due before an answer is read that came in time, so the loop looks at its sockets once more.
 */
export async function resultWithin<T>(ms: number, work: Promise<T>): Promise<T | null> {
  const finished = new AbortController()
  try {
    return await Promise.race([work, pause(ms, finished.signal).then(() => setImmediate(null))])
  } finally {
    finished.abort()
  }
}
