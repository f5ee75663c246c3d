import type { Database } from '../db/connection.js'
import type { Log } from '../log/log.js'
import { pause } from '../process/pause.js'

/** Something that is done again and again for as long as the server runs. */
export interface ScheduledJob {
  readonly name: string
  readonly everyMs: number
  /** Whether every process does it. Otherwise one process at a time does, of all that have it. */
  readonly perProcess?: boolean
  readonly run: () => Promise<unknown>
}

export interface SchedulerOptions {
  /** A pool of one connection. It holds the lock of each job that this process does. */
  readonly locks: Database
  readonly log: Log
}

/** How often a process asks whether it may take over a job: a job is idle for so long when its process dies. */
const TAKEOVER_MS = 3_000

/**
 * Runs every job at once and then on its schedule, never twice at a time. A failure is logged and the next turn tries
 * again. A job that is not done by every process belongs to whoever holds its lock, until that process ends.
 *
 * @returns stops the jobs and waits for what is under way.
 */
export function startScheduledJobs(
  jobs: readonly ScheduledJob[],
  options: SchedulerOptions,
): () => Promise<void> {
  const stopping = new AbortController()
  const running = jobs.map((job) => repeat(job, options, stopping.signal))
  return async () => {
    stopping.abort()
    await Promise.all(running)
    await releaseJobs(options.locks, jobs).catch(() => {})
  }
}

async function repeat(
  job: ScheduledJob,
  { locks, log }: SchedulerOptions,
  stopping: AbortSignal,
): Promise<void> {
  while (!stopping.aborted) {
    let waitMs = job.everyMs
    try {
      if (job.perProcess || (await holdsJob(locks, job))) await job.run()
      else waitMs = Math.min(waitMs, TAKEOVER_MS)
    } catch (error) {
      log.error({ err: error, job: job.name }, 'a scheduled job failed')
    }
    await pause(waitMs, stopping)
  }
}

/** Takes the lock of a job, or keeps it. It is the connection's, so that PostgreSQL frees it when the process dies. */
async function holdsJob(locks: Database, { name }: ScheduledJob): Promise<boolean> {
  const [lock] = await locks<{ isHeld: boolean }[]>`
    select exists (
      select from pg_locks
      where locktype = 'advisory' and pid = pg_backend_pid() and granted
        and (classid::bigint << 32 | objid::bigint) = hashtextextended(${lockName(name)}, 0)
    ) or pg_try_advisory_lock(hashtextextended(${lockName(name)}, 0)) as "isHeld"`
  return lock?.isHeld === true
}

async function releaseJobs(locks: Database, jobs: readonly ScheduledJob[]): Promise<void> {
  await locks`
    select pg_advisory_unlock(hashtextextended(name, 0))
    from unnest(${locks.types.texts(jobs.map(({ name }) => lockName(name)))}::text[]) as name`
}

function lockName(job: string): string {
  return `plaza job ${job}`
}
