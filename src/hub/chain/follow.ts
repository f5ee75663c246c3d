import type { Log } from '../../platform/log/log.js'
import { pause } from '../../platform/process/pause.js'
import type { Follower } from './follower.js'
import { RangeRefused } from './log-range.js'

export interface FollowOptions {
  /** Wait after a step without news, or while another process holds the follower. */
  readonly pollMs: number
  readonly log: Log
}

/** Wait after a failure, growing by half each time. A refused range is repeated soon, in halves. */
const RETRY_MS = { first: 200, last: 30_000, refused: 50 }

/**
 * Runs a follower until it is stopped. A failed step is repeated forever: blocks cannot be skipped.
 *
 * @returns a function that stops it after the current step.
 */
export function startFollowing<Extra>(
  follower: Follower<Extra>,
  { pollMs, log }: FollowOptions,
): () => Promise<void> {
  const stopping = new AbortController()
  const { signal } = stopping
  const logFields = { follower: follower.name }

  async function run(): Promise<void> {
    let failures = 0
    while (!signal.aborted) {
      try {
        const outcome = await follower.step()
        if (failures > 0) log.info({ ...logFields, failures }, 'chain follower recovered')
        failures = 0
        if (outcome === 'reorged') log.info(logFields, 'chain reorganized')
        if (outcome === 'deepReorg') log.error(logFields, 'chain reorganized beyond confirmations')
        if (outcome === 'caughtUp' || outcome === 'busy') await pause(pollMs, signal)
      } catch (error) {
        failures += 1
        const isRefused = error instanceof RangeRefused
        const backoffMs = Math.min(RETRY_MS.last, Math.round(RETRY_MS.first * 1.5 ** (failures - 1)))
        const retryInMs = isRefused ? Math.min(RETRY_MS.refused * failures, RETRY_MS.last) : backoffMs
        // An unavailable RPC is logged once, then every 20 failures.
        const shouldLog = !isRefused && (failures === 1 || failures % 20 === 0)
        if (shouldLog) log.warn({ err: error, ...logFields, failures, retryInMs }, 'chain follower failed')
        await pause(retryInMs, signal)
      }
    }
    // If the database is unavailable, the lease expires by itself.
    await follower.release().catch(() => {})
  }

  const running = run()
  return async () => {
    stopping.abort()
    await running
  }
}
