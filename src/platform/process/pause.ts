import { setTimeout as sleep } from 'node:timers/promises'

/** Waits for `ms` milliseconds, or until the signal aborts. Leaves no listener on the signal. */
export async function pause(ms: number, signal?: AbortSignal): Promise<void> {
  await sleep(ms, undefined, { ...(signal && { signal }) }).catch(() => {})
}
