import { Worker } from 'node:worker_threads'
import type { ScoreSummary } from './score-job.js'

/** What the thread is given. */
export interface ScoreThreadInput {
  readonly url: string
  readonly seeds: readonly number[]
}

/** A computation in a thread of its own. */
export interface ScoreThread {
  /** What `recomputeScores` returns; rejects when it fails or is stopped. */
  readonly done: Promise<ScoreSummary | null>
  /** Ends it: between two batches of rows, or after a moment wherever it is. */
  stop(): Promise<void>
}

const STOP_MS = 1_000

/**
 * Runs `recomputeScores` beside a server: the arithmetic takes seconds without a pause, and whoever waits
 * for a page in the meantime would notice.
 *
 * @param workerUrl the compiled `score-worker.js`, unless it stands beside this module
 */
export function startScoreThread(
  input: ScoreThreadInput,
  workerUrl = new URL('./score-worker.js', import.meta.url),
): ScoreThread {
  const worker = new Worker(workerUrl, { workerData: input })
  const done = new Promise<ScoreSummary | null>((resolve, reject) => {
    worker.on('message', resolve)
    worker.on('error', reject)
    worker.on('exit', () => reject(new Error('the scoring thread was ended')))
  })
  const ended = new Promise<void>((resolve) => {
    worker.on('exit', () => resolve())
  })
  return {
    done,
    stop: async () => {
      const timer = setTimeout(() => void worker.terminate(), STOP_MS)
      worker.postMessage('stop')
      await ended.finally(() => clearTimeout(timer))
    },
  }
}
