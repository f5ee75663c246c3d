import type { Logger } from 'pino'

/** Limits the log lines of refused requests, so that a flood of them does not fill the log. */
export interface RefusalLog {
  /**
   * Counts a refused request. Whether it gets a line of its own; otherwise it counts in the line of its caller at the
   * end of the minute.
   *
   * @param caller `key 7`, or an address.
   */
  admits(caller: string, status: number): boolean
  /** Writes the counts of the current minute, and stops. */
  close(): void
}

/** Most lines of its own that a caller, and all callers together, get in a minute. */
const MAX_LINES_PER_CALLER = 20
const MAX_LINES = 600
/** Callers counted by name in a minute; further ones are counted together. */
const MAX_CALLERS = 1_000
const WINDOW_MS = 60_000
const OTHER_CALLERS = 'others'

interface Count {
  lines: number
  readonly withoutLine: Map<number, number>
}

/** Creates the limit. The first refused request begins a minute; its end is a line for each caller with more. */
export function createRefusalLog(log: Logger): RefusalLog {
  const counts = new Map<string, Count>()
  let lines = 0
  let timer: NodeJS.Timeout | undefined

  function flush(): void {
    for (const [caller, { withoutLine }] of counts) {
      if (withoutLine.size === 0) continue
      const statuses = Object.fromEntries(withoutLine)
      const requests = [...withoutLine.values()].reduce((sum, count) => sum + count, 0)
      log.info({ caller, requests, statuses }, 'more requests refused')
    }
    counts.clear()
    lines = 0
    timer = undefined
  }

  function countOf(caller: string): Count {
    const name = counts.has(caller) || counts.size < MAX_CALLERS ? caller : OTHER_CALLERS
    const count = counts.get(name) ?? { lines: 0, withoutLine: new Map<number, number>() }
    counts.set(name, count)
    return count
  }

  return {
    admits(caller, status) {
      timer ??= setTimeout(flush, WINDOW_MS).unref()
      const count = countOf(caller)
      if (count.lines < MAX_LINES_PER_CALLER && lines < MAX_LINES) {
        count.lines += 1
        lines += 1
        return true
      }
      count.withoutLine.set(status, (count.withoutLine.get(status) ?? 0) + 1)
      return false
    },
    close() {
      clearTimeout(timer)
      flush()
    },
  }
}
