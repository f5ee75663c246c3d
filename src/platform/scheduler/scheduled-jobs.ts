import { setMaxListeners } from 'node:events'
import type { Database } from '../db/connection.js'
import { outageOf } from '../db/connection-errors.js'
import type { Log } from '../log/log.js'
import { pause } from '../process/pause.js'
import type { JobRuns } from './job-runs.js'

/** A task that the server repeats while it runs. */
export interface ScheduledJob {
  readonly name: string
  readonly everyMs: number
  /** Whether every process does it. Otherwise one process at a time does, of all that have it. */
  readonly perProcess?: boolean
  /** Whether it rests after a failure. It then is not run, as a run with nothing to do would count as a success. */
  readonly isResting?: () => boolean
  readonly run: () => Promise<unknown>
}

export interface SchedulerOptions {
  /** A pool of one connection, which holds the locks of the jobs of this process. */
  readonly locks: Database
  readonly log: Log
  /** Notes when jobs run, and how that ends. */
  readonly runs?: JobRuns
}

/** Interval in which a process tries to take over a job, and so the pause of a job after its process dies. */
const TAKEOVER_MS = 3_000

/**
 * Runs every job immediately and then at its interval, without overlap. A failure is logged, and the next run
 * retries; of a database that is away only the first one is, and the end. A job that is not per process runs in the process that holds its lock, until that process ends.
 * Returns a function that stops the jobs and waits for current runs.
 */
export function startScheduledJobs(
  jobs: readonly ScheduledJob[],
  options: SchedulerOptions,
): () => Promise<void> {
  const stopping = new AbortController()
  // Every job adds a listener.
  setMaxListeners(0, stopping.signal)
  const running = jobs.map((job) => repeat(job, options, stopping.signal))
  return async () => {
    stopping.abort()
    await Promise.all(running)
    const { locks } = options
    await locks`
      select pg_advisory_unlock(hashtextextended(name, 0))
      from unnest(${locks.types.texts(jobs.map(({ name }) => lockName(name)))}::text[]) as name
    `.catch(() => {})
  }
}

async function repeat(
  job: ScheduledJob,
  { locks, log, runs }: SchedulerOptions,
  stopping: AbortSignal,
): Promise<void> {
  let isWaiting = false
  while (!stopping.aborted) {
    let waitMs = job.everyMs
    let end: ReturnType<JobRuns['begin']> | undefined
    try {
      const isResting = job.isResting?.() ?? false
      if (!isResting && (job.perProcess || (await holdsJob(locks, job)))) {
        end = runs?.begin(job)
        await job.run()
        end?.(waitMs)
      } else if (!isResting) waitMs = Math.min(waitMs, TAKEOVER_MS)
      if (isWaiting && !isResting) {
        log.info({ job: job.name }, 'a scheduled job no longer waits for the database')
        isWaiting = false
      }
    } catch (error) {
      // It was cancelled, or its next run, elsewhere or later, tells.
      if (stopping.aborted) return
      const outage = outageOf(error)
      const waits = outage === 'DatabaseAway' || outage === 'ReadOnly'
      if (waits) {
        // It is soon back, or its successor there: an hourly job would miss its hour. One that took too long would do so again, all day.
        waitMs = Math.min(waitMs, TAKEOVER_MS)
        if (!isWaiting)
          log.warn({ err: error, job: job.name, retryMs: waitMs }, 'a scheduled job waits for the database')
      } else log.error({ err: error, job: job.name }, 'a scheduled job failed')
      isWaiting = waits
      end?.(waitMs, error)
    }
    await pause(waitMs, stopping)
  }
}

/** Takes or keeps the lock of a job. It belongs to the connection, so PostgreSQL releases it if the process dies. */
async function holdsJob(locks: Database, { name }: ScheduledJob): Promise<boolean> {
  const [lock] = await locks<{ isHeld: boolean }[]>`
    select exists (
      select from pg_locks
      where locktype = 'advisory' and pid = pg_backend_pid() and granted
        and (classid::bigint << 32 | objid::bigint) = hashtextextended(${lockName(name)}, 0)
    ) or pg_try_advisory_lock(hashtextextended(${lockName(name)}, 0)) as "isHeld"`
  return lock?.isHeld === true
}

function lockName(job: string): string {
  return `plaza job ${job}`
}
