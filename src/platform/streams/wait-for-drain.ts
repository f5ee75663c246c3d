import type { Writable } from 'node:stream'

/**
 * Waits until a stream whose `write` returned false drains. False after the timeout or an abort. Leaves no
 * listeners: a fast stream waits thousands of times per second.
 */
export function waitForDrain(stream: Writable, timeoutMs: number, signal: AbortSignal): Promise<boolean> {
  if (signal.aborted) return Promise.resolve(false)
  return new Promise((resolve) => {
    const timer = setTimeout(onTimeout, timeoutMs)
    stream.once('drain', onDrain)
    signal.addEventListener('abort', onTimeout)

    function onDrain(): void {
      finishWait(true)
    }
    function onTimeout(): void {
      finishWait(false)
    }
    function finishWait(hasRoom: boolean): void {
      clearTimeout(timer)
      stream.off('drain', onDrain)
      signal.removeEventListener('abort', onTimeout)
      resolve(hasRoom)
    }
  })
}
