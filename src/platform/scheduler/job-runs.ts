import type { Fragment } from '#postgres'
import type { Database } from '../db/connection.js'
import { redactedUrls } from '../text/redacted-urls.js'
import { storableJson } from '../text/storable-text.js'
import type { JobMetrics } from './job-metrics.js'

/** A job as it is listed. */
interface ListedJob {
  readonly name: string
  readonly everyMs: number
  readonly perProcess?: boolean
}

/** A job of this process and its last run. */
interface JobRun {
  readonly job: ListedJob
  runs: number
  failures: number
  startedMs: number
  durationMs: number | null
  nextMs: number | null
  error: string | null
  failedMs: number | null
  /** Whether the newest run failed. Times do not tell: the clock may be set back. */
  isFailing: boolean
}

const MAX_ERROR_LENGTH = 500

/** The last runs of the jobs of a process: noted in memory, and written for the admin API every few seconds. */
export class JobRuns {
  readonly #clock: () => number
  readonly #metrics: JobMetrics | null
  readonly #timer: () => number
  readonly #runs = new Map<string, JobRun>()
  readonly #changed = new Set<string>()

  /**
   * @param clock Unix milliseconds.
   * @param timer Milliseconds of a clock that is never set.
   */
  constructor(
    clock: () => number,
    metrics: JobMetrics | null = null,
    timer: () => number = () => performance.now(),
  ) {
    this.#clock = clock
    this.#timer = timer
    this.#metrics = metrics
  }

  /** Notes that a run begins. Returns what notes its end, and when the next one begins. */
  begin(job: ListedJob): (waitMs: number, error?: unknown) => void {
    const run = this.#runs.get(job.name) ?? newRun(job)
    if (run.runs === 0) this.#metrics?.add(job.name)
    this.#runs.set(job.name, run)
    run.startedMs = this.#clock()
    run.isFailing = false
    const begunMs = this.#timer()
    run.nextMs = null
    this.#changed.add(job.name)
    return (waitMs, error) => {
      const nowMs = this.#clock()
      run.runs += 1
      run.durationMs = this.#timer() - begunMs
      run.nextMs = nowMs + waitMs
      if (error === undefined) this.#metrics?.succeeded(job.name, nowMs)
      else {
        this.#metrics?.failed(job.name, nowMs)
        run.failures += 1
        run.failedMs = nowMs
        run.isFailing = true
        const message = error instanceof Error ? error.message : String(error)
        run.error = redactedUrls(message).slice(0, MAX_ERROR_LENGTH)
      }
      this.#changed.add(job.name)
    }
  }

  /** Writes what has changed since the last time. */
  async flush(db: Database, processId: string): Promise<void> {
    const runs = [...this.#changed].map((name) => this.#runs.get(name)!)
    if (runs.length === 0) return
    this.#changed.clear()
    const rows = runs.map(({ job: { name, everyMs, perProcess = false }, ...run }) => ({
      name,
      every_ms: everyMs,
      per_process: perProcess,
      runs: run.runs,
      failures: run.failures,
      started_ms: run.startedMs,
      duration_ms: run.durationMs,
      next_ms: run.nextMs,
      error: run.error,
      failed_ms: run.failedMs,
      is_failing: run.isFailing,
    }))
    try {
      await db`
        insert into app.job_runs (
          process_id, name, every_ms, per_process, runs, failures, started_at, duration_ms, next_at, error, failed_at,
          is_failing
        )
        select p.id, name, every_ms, per_process, runs, failures, to_timestamp(started_ms / 1000), duration_ms,
          to_timestamp(next_ms / 1000), error, to_timestamp(failed_ms / 1000), is_failing
        from app.processes p, jsonb_to_recordset(${storableJson(JSON.stringify(rows))}::text::jsonb) as r (
          name text, every_ms bigint, per_process boolean, runs bigint, failures bigint, started_ms float8,
          duration_ms float8, next_ms float8, error text, failed_ms float8, is_failing boolean
        )
        where p.id = ${processId}::uuid
        on conflict (process_id, name) do update
        set runs = excluded.runs, failures = excluded.failures, started_at = excluded.started_at,
          duration_ms = excluded.duration_ms, next_at = excluded.next_at, error = excluded.error,
          failed_at = excluded.failed_at, is_failing = excluded.is_failing`
      const [stored] = await db<{ jobs: number }[]>`
        select count(*)::integer as jobs from app.job_runs where process_id = ${processId}::uuid`
      // After minutes without a database another process has taken this one for dead, and its runs with it.
      if (stored!.jobs < this.#runs.size) for (const name of this.#runs.keys()) this.#changed.add(name)
    } catch (error) {
      for (const { name } of rows) this.#changed.add(name)
      throw error
    }
  }
}

function newRun(job: ListedJob): JobRun {
  return {
    job,
    runs: 0,
    failures: 0,
    startedMs: 0,
    durationMs: null,
    nextMs: null,
    error: null,
    failedMs: null,
    isFailing: false,
  }
}

/** An expression that differs when a scheduled job has run. */
export function jobRunsFingerprint(db: Database): Fragment {
  return db`(select max(started_at) from app.job_runs)`
}
