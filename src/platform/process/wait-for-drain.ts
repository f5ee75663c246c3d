import type { Writable } from 'node:stream'

/**
 * Waits until a stream whose `write` said that it is full has room again. False when that took too long, or the signal
 * aborted. Nothing of the wait is left behind: a fast stream waits thousands of times a second.
 */
export function drained(stream: Writable, timeoutMs: number, signal: AbortSignal): Promise<boolean> {
  if (signal.aborted) return Promise.resolve(false)
  return new Promise((resolve) => {
    const timer = setTimeout(giveUp, timeoutMs)
    stream.once('drain', goOn)
    signal.addEventListener('abort', giveUp)

    function goOn(): void {
      settle(true)
    }
    function giveUp(): void {
      settle(false)
    }
    function settle(hasRoom: boolean): void {
      clearTimeout(timer)
      stream.off('drain', goOn)
      signal.removeEventListener('abort', giveUp)
      resolve(hasRoom)
    }
  })
}
