import type { Socket } from 'node:net'
import { readSendQueues, type SendQueueOf } from './send-queues.js'

/** Polls within the timeout. */
const POLLS_PER_TIMEOUT = 4

/** A reader of a stream. */
export interface WatchedReader {
  readonly socket: Socket
  readonly onStalled: () => void
}

/** Last progress of a reader: acknowledged bytes, and the time at which they last grew. */
interface Progress {
  readonly bytes: number
  readonly atMs: number
}

/**
 * Finds readers of streams that take nothing of what was written, also while it fits into the kernel's buffers, where a
 * write ends at once and nothing shows that nobody reads: the kernel knows what was acknowledged. Linux only.
 *
 * What cannot be found on any system: a reader whose own kernel still takes what it does not read itself. It costs no
 * memory here, and is found when that buffer is full.
 *
 * @returns The function that stops it.
 */
export function watchStalledReaders(readers: ReadonlySet<WatchedReader>, timeoutMs: number): () => void {
  const progress = new WeakMap<Socket, Progress>()
  let isLooking = false

  async function look(): Promise<void> {
    if (isLooking || readers.size === 0) return
    isLooking = true
    const queueOf = await readSendQueues()
    isLooking = false
    const nowMs = performance.now()
    for (const { socket, onStalled } of readers) {
      const bytes = acknowledgedBytes(socket, queueOf)
      const before = progress.get(socket)
      if (bytes === null || before === undefined || bytes > before.bytes) {
        progress.set(socket, { bytes: bytes ?? socket.bytesWritten, atMs: nowMs })
      } else if (nowMs - before.atMs >= timeoutMs) onStalled()
    }
  }

  const timer = setInterval(() => void look(), timeoutMs / POLLS_PER_TIMEOUT)
  timer.unref()
  return () => clearInterval(timer)
}

/** How many bytes the other side has acknowledged; null if that is all or is not known. */
function acknowledgedBytes(socket: Socket, queueOf: SendQueueOf): number | null {
  const queued = queueOf(socket)
  if (queued === null || queued + socket.writableLength === 0) return null
  return socket.bytesWritten - socket.writableLength - queued
}
