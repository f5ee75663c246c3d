import { recomputeScores } from '../dist/features/score/score-job.js'
import { connect } from '../dist/platform/db/connection.js'

/** One computation of scores on the database of the first argument; prints how long it took, as JSON. */

const db = connect(process.argv[2] ?? '', { poolSize: 1, applicationName: 'plaza bench' })
/** @type {{ step: string, atMs: number }[]} */
const begun = []
const startMs = performance.now()
const summary = await recomputeScores(db, {
  seeds: [],
  clock: Date.now,
  onStep: (step) => begun.push({ step, atMs: performance.now() }),
})
const endMs = performance.now()
await db.end()
const steps = Object.fromEntries(
  begun.map(({ step, atMs }, number) => [step, ((begun[number + 1]?.atMs ?? endMs) - atMs) / 1000]),
)
const { user, system } = process.cpuUsage()
console.log(
  JSON.stringify({
    steps,
    summary,
    totalSeconds: (endMs - startMs) / 1000,
    cpuSeconds: (user + system) / 1e6,
    peakGb: process.resourceUsage().maxRSS / 1024 ** 2,
  }),
)
