import { parseArgs } from 'node:util'
import { buildGraph } from '../dist/features/score/graph.js'
import { computeScores } from '../dist/features/score/scores.js'
import { defaultSeeds } from '../dist/features/score/seeds.js'
import { defaultTrustOptions, propagateTrust } from '../dist/features/score/trust.js'
import { quantile } from './quantiles.mjs'
import { areaUnderCurve } from './ranking.mjs'
import { figure, machine, printTable, record } from './report.mjs'
import { measureJob } from './score-database.mjs'
import { generateNetwork, NOW_UNIX } from './score-network.mjs'
import { printQuality } from './score-quality.mjs'

/**
 * How long scores take on a generated network with planted rings of spam, and how much memory; with
 * `--database` also the whole job, from PostgreSQL and back, in a process of its own.
 */

const HELP = `npm run bench:score -- [options]

  --users N      accounts, one in twenty of them in rings of spam (1000000)
  --follows N    accounts that an honest one sets out to follow, on average (48: 50,000,000 edges in all)
  --seed NAME    of the network (bench)
  --database     also stores the network in a PostgreSQL of its own and runs the whole job on it
  --quality      only tells how well parts of the score find rings, in many small networks
  --record       appends the figures to bench/results.jsonl
`

const { values } = parseArgs({
  options: {
    users: { type: 'string', default: '1000000' },
    follows: { type: 'string', default: '48' },
    seed: { type: 'string', default: 'bench' },
    database: { type: 'boolean', default: false },
    quality: { type: 'boolean', default: false },
    record: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
})

/** What the issue asks for. */
const TARGETS = { seconds: 300, gigabytes: 4, area: 0.95 }
const KB_PER_GB = 1024 ** 2

if (values.help) console.log(HELP)
else if (values.quality) printQuality(values.seed)
else await main()

async function main() {
  const where = await machine()
  console.log(
    `${where.cores} cores (${where.cpu}), ${where.memoryGb} GB, load ${where.load}, node ${where.node}`,
  )
  const options = { seed: values.seed, users: Number(values.users), follows: Number(values.follows) }
  // Stored first, while this process holds nothing else: the job is measured alone on the machine's memory.
  const job = values.database ? await measureJob(options) : null
  const memory = measure(options)
  if (job !== null) printJob(job)
  if (values.record) await record({ bench: 'score', ...where, ...memory, job })
}

/** @param {import('./score-network.mjs').NetworkOptions} options */
function measure(options) {
  const generated = timed(() => generateNetwork(options))
  const network = generated.result
  const endorsements = network.edges.length
  const graph = timed(() => buildGraph(network.users, network.edges))
  const seeds = timed(() => defaultSeeds(graph.result, network.accounts.registeredAt))
  const rounds = iterationSeconds(graph.result, seeds.result)
  const bare = timed(() => bareGather(graph.result))
  const scores = timed(() => computeScores(graph.result, network.accounts, seeds.result, NOW_UNIX))
  const area = areaUnderCurve(scores.result.scores, network.isSpam)
  const peakGb = process.resourceUsage().maxRSS / KB_PER_GB
  const totalSeconds = graph.seconds + seeds.seconds + scores.seconds
  const totalCpuSeconds = graph.cpuSeconds + seeds.cpuSeconds + scores.cpuSeconds
  const iteration = quantile(rounds, 0.5) ?? 0
  printTable(`In memory: ${figure(network.users)} accounts, ${figure(graph.result.edges)} edges`, [
    ['', 'seconds', 'CPU seconds'],
    ['generating (not counted)', figure(generated.seconds), figure(generated.cpuSeconds)],
    [
      `sorting ${figure(endorsements)} endorsements into a graph`,
      figure(graph.seconds),
      figure(graph.cpuSeconds),
    ],
    ['choosing seeds', figure(seeds.seconds), figure(seeds.cpuSeconds)],
    [`trust (${rounds.length} rounds), signals, penalty`, figure(scores.seconds), figure(scores.cpuSeconds)],
    [`all, asked for at most ${TARGETS.seconds}`, figure(totalSeconds), figure(totalCpuSeconds)],
  ])
  printTable('Per round of trust', [
    ['median, seconds', figure(iteration)],
    ['limit: adding one number per edge in the same order', figure(bare.seconds)],
    ['ratio', figure(iteration / bare.seconds)],
  ])
  printTable('Result', [
    [`peak memory, GB, asked for at most ${TARGETS.gigabytes}`, figure(peakGb)],
    [`area under the ROC curve, asked for at least ${TARGETS.area}`, figure(area)],
  ])
  return {
    users: network.users,
    edges: graph.result.edges,
    totalSeconds,
    totalCpuSeconds,
    rounds: rounds.length,
    iterationSeconds: iteration,
    bareSeconds: bare.seconds,
    peakGb,
    area,
  }
}

/** @param {import('./score-database.mjs').JobRun} job */
function printJob({ stored, steps, summary, totalSeconds, cpuSeconds, peakGb }) {
  printTable('The whole job: from PostgreSQL and back', [
    ['', 'seconds'],
    [
      `storing ${figure(stored.follows)} follows, ${figure(stored.likes)} likes, ${figure(stored.casts)} casts (not counted)`,
      figure(stored.seconds),
    ],
    ...Object.entries(steps).map(([step, seconds]) => [step, figure(seconds)]),
    [`all, asked for at most ${TARGETS.seconds}`, figure(totalSeconds)],
    ['CPU of this side', figure(cpuSeconds)],
    [`peak memory, GB, asked for at most ${TARGETS.gigabytes}`, figure(peakGb)],
    ['rows written', figure(summary.changed)],
  ])
}

/**
 * @param {import('../dist/features/score/graph.js').TrustGraph} graph
 * @param {Uint32Array} seeds
 */
function iterationSeconds(graph, seeds) {
  /** @type {number[]} */
  const seconds = []
  let startMs = performance.now()
  propagateTrust(graph, seeds, defaultTrustOptions, () => {
    seconds.push((performance.now() - startMs) / 1000)
    startMs = performance.now()
  })
  return seconds
}

/**
 * What a round cannot do without: for every edge, a number from where its source stands.
 *
 * @param {import('../dist/features/score/graph.js').TrustGraph} graph
 */
function bareGather({ source, edges, users }) {
  const numbers = new Float64Array(users).fill(1)
  let sum = 0
  for (let edge = 0; edge < edges; edge++) sum += numbers[source[edge]]
  return sum
}

/**
 * @template T
 * @param {() => T} work
 */
function timed(work) {
  const startMs = performance.now()
  const cpuBefore = process.cpuUsage()
  const result = work()
  const { user, system } = process.cpuUsage(cpuBefore)
  return { result, seconds: (performance.now() - startMs) / 1000, cpuSeconds: (user + system) / 1e6 }
}
