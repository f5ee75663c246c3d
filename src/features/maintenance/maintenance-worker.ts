import type { Database } from '../../platform/db/connection.js'
import { isTemporary } from '../../platform/db/connection-errors.js'
import { reportFirstFailure } from '../../platform/log/first-failure.js'
import type { Log } from '../../platform/log/log.js'
import { pause } from '../../platform/process/pause.js'
import { redactedUrls } from '../../platform/text/redacted-urls.js'
import {
  claimRun,
  finishRun,
  type MaintenanceKind,
  type MaintenanceRow,
  markInterrupted,
  type RunProgress,
  saveProgress,
} from './maintenance-runs.js'

/** The result of maintenance that did not fail. */
export interface MaintenanceResult {
  /** Lines for the operator. */
  readonly report: readonly string[]
  /** False: it was ended on the way, and has done a part. */
  readonly isComplete: boolean
}

/** The result of maintenance that is through. */
export function completed(report: readonly string[]): MaintenanceResult {
  return { report, isComplete: true }
}

/** Does one kind of maintenance. */
export interface MaintenanceTask {
  /** Ends soon after the signal aborts: it throws, or returns that it is not complete. */
  run(options: {
    readonly extra: MaintenanceRow['extra']
    readonly signal: AbortSignal
    /** Notes how far it is. */
    readonly onProgress: (progress: Partial<RunProgress>) => void
  }): Promise<MaintenanceResult>
}

export interface MaintenanceWorkerOptions {
  readonly db: Database
  readonly log: Log
  /** Tasks that this process can run. */
  readonly tasks: Readonly<Partial<Record<MaintenanceKind, MaintenanceTask>>>
  /** Between two looks for a run that waits. */
  readonly pollMs?: number
}

const POLL_MS = 2_000
const PROGRESS_MS = 1_000

/** Does the maintenance that was asked of the admin API, one run after another. Returns what stops it. */
export function startMaintenance(options: MaintenanceWorkerOptions): () => Promise<void> {
  const stopping = new AbortController()
  const running = work(options, stopping.signal)
  return async () => {
    stopping.abort()
    await running
  }
}

async function work(options: MaintenanceWorkerOptions, stopping: AbortSignal): Promise<void> {
  const { db, log, tasks, pollMs = POLL_MS } = options
  const kinds = Object.keys(tasks) as MaintenanceKind[]
  const performNext = reportFirstFailure(
    async () => {
      await markInterrupted(db)
      const run = await claimRun(db, kinds)
      if (run !== null) await perform(options, run, stopping)
    },
    (error) => log.warn({ err: error }, 'maintenance could not be looked for'),
  )
  while (!stopping.aborted) {
    await performNext()
    await pause(pollMs, stopping)
  }
}

/** Runs one to its end, while its progress is written and its cancellation is looked for. */
async function perform(
  { db, log, tasks }: MaintenanceWorkerOptions,
  { id, kind, extra }: MaintenanceRow,
  stopping: AbortSignal,
): Promise<void> {
  const progress: RunProgress = { step: null, done: 0, total: null }
  const ended = new AbortController()
  const cancelled = new AbortController()
  const signal = AbortSignal.any([stopping, cancelled.signal])
  const watching = watch(db, id, { progress, log, ended: ended.signal, cancelled })
  log.info({ kind, run: id }, 'maintenance began')
  try {
    const onProgress = (now: Partial<RunProgress>) => Object.assign(progress, now)
    const end = await tasks[kind]!.run({ extra, signal, onProgress }).then(
      ({ report, isComplete }): RunEnd => ({ state: isComplete ? 'done' : endOf(stopping), report }),
      (error: unknown): RunEnd => {
        if (signal.aborted) return { state: endOf(stopping) }
        log.warn({ err: error, kind, run: id }, 'maintenance failed')
        return {
          state: 'failed',
          error: redactedUrls(error instanceof Error ? error.message : String(error)),
        }
      },
    )
    await writeEnd(db, id, { ...end, progress }, stopping)
  } finally {
    ended.abort()
    await watching
  }
}

type RunEnd = Omit<Parameters<typeof finishRun>[2], 'progress'>

/** Writes how a run has ended. What took hours is not lost because the database is away in this moment. */
async function writeEnd(
  db: Database,
  id: number,
  end: Parameters<typeof finishRun>[2],
  stopping: AbortSignal,
): Promise<void> {
  for (;;) {
    try {
      return await finishRun(db, id, end)
    } catch (error) {
      if (!isTemporary(error) || stopping.aborted) throw error
      await pause(PROGRESS_MS, stopping)
    }
  }
}

function endOf(stopping: AbortSignal): 'interrupted' | 'cancelled' {
  return stopping.aborted ? 'interrupted' : 'cancelled'
}

interface WatchOptions {
  readonly progress: RunProgress
  readonly log: Log
  readonly ended: AbortSignal
  readonly cancelled: AbortController
}

async function watch(
  db: Database,
  id: number,
  { progress, log, ended, cancelled }: WatchOptions,
): Promise<void> {
  while (!ended.aborted) {
    try {
      if ((await saveProgress(db, id, progress)) !== 'running') cancelled.abort(new Error('cancelled'))
    } catch (error) {
      log.warn({ err: error, run: id }, 'the progress of maintenance could not be written')
    }
    await pause(PROGRESS_MS, ended)
  }
}
