/** Waits for `ms` milliseconds, or until the signal aborts. Leaves no listener on the signal. */
export function pause(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal?.aborted) return resolve()
    const timer = setTimeout(finish, ms)
    function finish(): void {
      clearTimeout(timer)
      signal?.removeEventListener('abort', finish)
      resolve()
    }
    signal?.addEventListener('abort', finish)
  })
}

/** Returns the result of work, or null after the timeout; the work continues. */
export async function resultWithin<T>(ms: number, work: Promise<T>): Promise<T | null> {
  const finished = new AbortController()
  try {
    return await Promise.race([work, pause(ms, finished.signal).then(() => null)])
  } finally {
    finished.abort()
  }
}
