import type { Log } from '../log/log.js'
import { pause } from '../process/pause.js'

/** Something that is done now and again for as long as the server runs. */
export interface ScheduledJob {
  readonly name: string
  readonly everyMs: number
  readonly run: () => Promise<unknown>
}

/**
 * Runs every chore at once and then on its schedule, never twice at a time. A failure is logged and the next
 * turn tries again. The returned function ends it and waits for what is under way.
 */
export function startScheduledJobs(jobs: readonly ScheduledJob[], log: Log): () => Promise<void> {
  const stopping = new AbortController()
  const running = jobs.map((job) => repeat(job, stopping.signal, log))
  return async () => {
    stopping.abort()
    await Promise.all(running)
  }
}

async function repeat(job: ScheduledJob, stopping: AbortSignal, log: Log): Promise<void> {
  while (!stopping.aborted) {
    try {
      await job.run()
    } catch (error) {
      log.error({ err: error, job: job.name }, 'maintenance failed')
    }
    await pause(job.everyMs, stopping)
  }
}
