import { Worker } from 'node:worker_threads'
import type { Fragment } from '#postgres'
import type { Database } from '../../platform/db/connection.js'
import { writesTo } from '../../platform/db/fingerprint.js'
import { HOUR_MS, isRecent } from '../../platform/durations.js'
import type { Log } from '../../platform/log/log.js'
import type { ScoreSummary } from './score-job.js'

export interface ScoreScheduleOptions extends ScoreThreadInput {
  readonly db: Database
  /** Greatest age of scores in hours; 0 never computes them. */
  readonly intervalHours: number
  /** Unix milliseconds. */
  readonly clock: () => number
  readonly log: Log
  readonly workerUrl?: URL
}

/** How often to look whether there is anything to score yet. */
const POLL_MS = 15_000
/** How often to count, once there are scores: that reads every user. A failed computation is repeated after this time too. */
const CHECK_INTERVAL_MS = 15 * 60 * 1000
/** Share of accounts without a score at which scores are due early. */
const UNSCORED_SHARE = 0.1

/**
 * Creates the job that computes scores in a thread when they are due, and its `stop`.
 *
 * Processes on one database agree on the schedule by `score.runs`, and on the executor by the job's lock.
 */
export function createScoreSchedule(options: ScoreScheduleOptions) {
  let thread: ReturnType<typeof startScoreThread> | null = null
  let isStopped = false
  let checkedMs = Number.NEGATIVE_INFINITY
  let failedMs = Number.NEGATIVE_INFINITY

  async function isDue(): Promise<boolean> {
    const now = options.clock()
    if (isRecent(checkedMs, now, CHECK_INTERVAL_MS) && (await haveScores(options.db))) return false
    checkedMs = now
    return await areScoresDue(options)
  }

  return {
    name: 'scores',
    everyMs: POLL_MS,
    isResting: () => isRecent(failedMs, options.clock(), CHECK_INTERVAL_MS),
    run: async () => {
      if (options.intervalHours === 0 || !(await isDue()) || isStopped) return
      thread = startScoreThread({ url: options.url, seeds: options.seeds }, options.workerUrl)
      try {
        const summary = await thread.done
        if (summary === null) return
        const { users, edges, changed, durationMs, unknownSeeds, seedsChosen } = summary
        options.log.info({ users, edges, changed, durationMs, seedsChosen }, 'scores computed')
        if (unknownSeeds.length > 0) options.log.warn({ unknownSeeds }, 'SCORE_SEEDS names unknown accounts')
      } catch (error) {
        if (isStopped) return
        failedMs = options.clock()
        throw error
      } finally {
        thread = null
      }
    },
    stop: async () => {
      isStopped = true
      await thread?.stop()
    },
  }
}

async function haveScores(db: Database): Promise<boolean> {
  const [run] = await db`select from score.runs limit 1`
  return run !== undefined
}

/** Whether there are accounts, and their scores are old or missing. */
export async function areScoresDue({
  db,
  intervalHours,
  clock,
}: Pick<ScoreScheduleOptions, 'db' | 'intervalHours' | 'clock'>): Promise<boolean> {
  const [row] = await db<{ users: number; unscored: number; finished_at: number | null }[]>`
    select
      count(*) as users,
      count(*) filter (where score is null) as unscored,
      (select finished_at from score.runs where finished_at is not null order by id desc limit 1) as finished_at
    from social.users
  `
  if (row === undefined || row.users === 0) return false
  const isNew = isRecent(row.finished_at ?? Number.NEGATIVE_INFINITY, clock(), intervalHours * HOUR_MS)
  return !isNew || row.unscored > row.users * UNSCORED_SHARE
}

/** Input of the thread. */
export interface ScoreThreadInput {
  readonly url: string
  readonly seeds: readonly number[]
}

const STOP_MS = 1_000

/** Runs `recomputeScores` in a thread, since the computation blocks for seconds. */
export function startScoreThread(
  input: ScoreThreadInput,
  workerUrl = new URL('./score-worker.js', import.meta.url),
) {
  const worker = new Worker(workerUrl, { workerData: input })
  const done = new Promise<ScoreSummary | null>((resolve, reject) => {
    worker.on('message', resolve)
    worker.on('error', reject)
    worker.on('exit', () => reject(new Error('the scoring thread was terminated')))
  })
  const ended = new Promise<void>((resolve) => {
    worker.on('exit', () => resolve())
  })
  return {
    /** The result of `recomputeScores`; rejects when it fails or is stopped. */
    done,
    /** Stops it: between two batches of rows, or by force after a moment. */
    stop: async () => {
      const timer = setTimeout(() => void worker.terminate(), STOP_MS)
      worker.postMessage('stop')
      await ended.finally(() => clearTimeout(timer))
    },
  }
}

/** Expressions that differ when a computation of scores has begun or ended. */
export function scoreRunsFingerprint(db: Database): Fragment {
  return db`
    (select max(id) from score.runs),
    ${writesTo(db, ['score.runs'])}`
}
