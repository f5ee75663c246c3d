import { parentPort, workerData } from 'node:worker_threads'
import { connect } from '../../platform/db/connection.js'
import { recomputeScores } from './score-job.js'
import type { ScoreThreadInput } from './score-schedule.js'

// Entry of the scoring thread: runs one job and posts its summary. See `score-schedule.ts`.
const { url, seeds } = workerData as ScoreThreadInput
const stopping = new AbortController()
parentPort?.once('message', () => stopping.abort(new Error('stopped')))
const db = connect(url, { poolSize: 1, applicationName: 'plaza score' })
try {
  parentPort?.postMessage(await recomputeScores(db, { seeds, clock: Date.now, signal: stopping.signal }))
} finally {
  await db.end({ timeout: 1 })
  parentPort?.close()
}
