import { Worker } from 'node:worker_threads'
import type { ScoreSummary } from './score-job.js'

/** Input of the thread. */
export interface ScoreThreadInput {
  readonly url: string
  readonly seeds: readonly number[]
}

/** A computation in its own thread. */
export interface ScoreThread {
  /** The result of `recomputeScores`; rejects when it fails or is stopped. */
  readonly done: Promise<ScoreSummary | null>
  /** Stops it: between two batches of rows, or by force after a moment. */
  stop(): Promise<void>
}

const STOP_MS = 1_000

/**
 * Runs `recomputeScores` in a thread, since the computation blocks for seconds.
 *
 * @param workerUrl The compiled `score-worker.js`, unless it is beside this module.
 */
export function startScoreThread(
  input: ScoreThreadInput,
  workerUrl = new URL('./score-worker.js', import.meta.url),
): ScoreThread {
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
    done,
    stop: async () => {
      const timer = setTimeout(() => void worker.terminate(), STOP_MS)
      worker.postMessage('stop')
      await ended.finally(() => clearTimeout(timer))
    },
  }
}
