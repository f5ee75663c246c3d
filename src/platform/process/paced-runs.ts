import { setTimeout as sleep } from 'node:timers/promises'

/** The pause after a run, as a multiple of its time: runs fill a fifth of the time at most. */
const PAUSES = 4
const MAX_PAUSE_MS = 2_000

/**
 * Shares runs of something expensive between its callers. A call gets the result of a run that began after it, together with
 * all others that wait for it, so a result is never older than its call.
 */
export function createPacedRuns<Result>(run: () => Promise<Result>): () => Promise<Result> {
  let upcoming: Promise<Result> | null = null
  let mayRun: Promise<unknown> = Promise.resolve()

  function begin(): Promise<Result> {
    // Later callers get the next run.
    upcoming = null
    const startedMs = performance.now()
    const result = run()
    mayRun = result
      .catch(() => {})
      .then(() => Math.min(MAX_PAUSE_MS, PAUSES * (performance.now() - startedMs)))
      .then((pauseMs) => sleep(pauseMs, null, { ref: false }))
    return result
  }

  return () => {
    upcoming ??= mayRun.then(begin)
    return upcoming
  }
}
