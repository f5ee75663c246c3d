import type { Log } from '../../platform/log/log.js'
import { pause } from '../../platform/process/pause.js'
import type { Follower } from './follower.js'
import { RangeRefused } from './log-range.js'

export interface FollowOptions {
  /** How long it waits when there is nothing new, or another process is at work. */
  readonly pollMs: number
  readonly log: Log
}

/** After a failure, growing by half with each. A refused range is asked for in halves soon. */
const RETRY_MS = { first: 200, last: 30_000, refused: 50 }

/**
 * Runs a follower until it is stopped. A step that fails is tried again, for ever: a chain has no message that could be
 * skipped.
 *
 * @returns stops it; the step under way is finished.
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
        if (failures > 0) log.info({ ...logFields, failures }, 'following the chain again')
        failures = 0
        if (outcome === 'reorged') log.info(logFields, 'the chain has taken back blocks')
        if (outcome === 'deepReorg') log.error(logFields, 'the chain has taken back blocks that were final')
        if (outcome === 'caughtUp' || outcome === 'busy') await pause(pollMs, signal)
      } catch (error) {
        failures += 1
        const isRefused = error instanceof RangeRefused
        const backoffMs = Math.min(RETRY_MS.last, Math.round(RETRY_MS.first * 1.5 ** (failures - 1)))
        const retryInMs = isRefused ? Math.min(RETRY_MS.refused * failures, RETRY_MS.last) : backoffMs
        // An RPC that is away says so once, and then now and again.
        const shouldLog = !isRefused && (failures === 1 || failures % 20 === 0)
        if (shouldLog)
          log.warn({ err: error, ...logFields, failures, retryInMs }, 'could not follow the chain')
        await pause(retryInMs, signal)
      }
    }
    // The lease runs out by itself, should the database be away.
    await follower.release().catch(() => {})
  }

  const running = run()
  return async () => {
    stopping.abort()
    await running
  }
}
