import { AsyncResource } from 'node:async_hooks'

/**
 * Time that reads may fill the thread before the loop looks at its sockets again. A page from memory is one piece of work, and at full
 * load all connections ask at once: an answer of PostgreSQL waited for their pages in a row, and a write waits for six answers.
 * Beside pages of `feed/for_you`, 16 connections, writes took 320 ms (p50) and 966 (p99), and take 70 and 187.
 */
const READ_SLICE_MS = 2
/** Reads that one turn starts, at most. */
const MAX_READS = 16
const reads: (() => void)[] = []
/** When the reads of this turn began. */
let readsSinceMs = 0
let isReading = false

/** Starts a read in this turn of the event loop, or in a later one if reads have filled this one. First come, first served. */
export function startRead(read: () => void): void {
  if (!isReading) {
    isReading = true
    readsSinceMs = performance.now()
    setImmediate(beginReads)
  }
  if (reads.length === 0 && performance.now() - readsSinceMs < READ_SLICE_MS) read()
  else {
    // The turn that starts it is of another request: without this, its spans would be. `AsyncResource.bind` would take 1.7 % of
    // a busy thread: it defines members of a function each time.
    const context = new AsyncResource('read')
    reads.push(() => context.runInAsyncScope(read))
  }
}

/** Schedules the reads that wait: they run after the loop has looked at its sockets. */
function beginReads(): void {
  readsSinceMs = performance.now()
  isReading = reads.length > 0
  if (!isReading) return
  setImmediate(beginReads)
  for (let read = 0; read < Math.min(MAX_READS, reads.length); read += 1) setImmediate(runRead)
}

function runRead(): void {
  if (performance.now() - readsSinceMs < READ_SLICE_MS) reads.shift()?.()
}
