import { cacheTag } from '../../graph/cache/cache-tags.js'
import { publishInvalidation } from '../../graph/cache/invalidation.js'
import type { Database, Session } from '../../platform/db/connection.js'
import { EdgeList } from './edge-list.js'
import type { FidIndex } from './fid-index.js'
import { buildGraph } from './graph.js'
import { loadAccounts, loadCastCounts } from './load-accounts.js'
import { loadFollows, loadLikes } from './load-edges.js'
import { computeScores, defaultScoreOptions, type ScoreOptions } from './scores.js'
import { defaultSeeds } from './seeds.js'
import { storeScores } from './store-scores.js'

export interface RecomputeOptions {
  /** Fids of trusted accounts; chosen automatically when empty (`seeds.ts`). */
  readonly seeds: readonly number[]
  /** Unix milliseconds. */
  readonly clock: () => number
  /** Changes up to this are not written. */
  readonly epsilon?: number
  readonly score?: ScoreOptions
  /** Aborts the job between two batches of rows. */
  readonly signal?: AbortSignal
  /** Called when a step begins. */
  readonly onStep?: (step: ScoreStep) => void
}

/** The current step. */
export type ScoreStep = 'accounts' | 'casts' | 'follows' | 'likes' | 'scores' | 'writing'

/** The size and result of a computation. */
export interface ScoreSummary {
  readonly users: number
  readonly edges: number
  /** Fids of the seeds, and whether they were chosen automatically. */
  readonly seeds: readonly number[]
  readonly seedsChosen: boolean
  /** Configured seeds without an account. */
  readonly unknownSeeds: readonly number[]
  readonly iterations: number
  /** Rows written. */
  readonly changed: number
  /** Percentiles of all scores. */
  readonly quantiles: Readonly<Record<'p10' | 'p25' | 'p50' | 'p75' | 'p90', number>>
  readonly durationMs: number
}

const EPSILON = 0.002
/** Advisory lock id: the bytes of "score". */
const SCORE_LOCK = 0x73636f7265

/**
 * Computes `social.users.score` of every account and writes the changes.
 *
 * Takes one connection and nine bytes of memory per endorsement, and blocks its thread for seconds on a large
 * network: servers run it in a thread (`score-thread.ts`).
 *
 * @returns Null when another process is computing.
 */
export async function recomputeScores(db: Database, options: RecomputeOptions): Promise<ScoreSummary | null> {
  const session = await db.reserve()
  try {
    const [lock] = await session<{ locked: boolean }[]>`
      select pg_try_advisory_lock(${SCORE_LOCK}::bigint) as locked
    `
    if (!lock?.locked) return null
    try {
      // Whole tables are read, and sorted without an index.
      await session`set statement_timeout = 0`
      await session`set work_mem = '64MB'`
      // Ends the long statement when this process dies.
      await session`set client_connection_check_interval = '5s'`
      return await recompute(session, options)
    } finally {
      await session`reset statement_timeout`
      await session`reset work_mem`
      await session`reset client_connection_check_interval`
      await session`select pg_advisory_unlock(${SCORE_LOCK}::bigint)`
    }
  } finally {
    session.release()
  }
}

async function recompute(session: Session, options: RecomputeOptions): Promise<ScoreSummary> {
  const { signal = new AbortController().signal, onStep = () => {}, clock } = options
  const startedMs = clock()
  const nowUnix = Math.floor(startedMs / 1000)
  onStep('accounts')
  const loaded = await loadAccounts(session, signal)
  const { index, accounts, currentScores } = loaded
  onStep('casts')
  await loadCastCounts(session, loaded, nowUnix, signal)
  const edges = new EdgeList()
  onStep('follows')
  await loadFollows(session, index, edges, accounts.peakFollows, signal)
  onStep('likes')
  await loadLikes(session, index, edges, signal)

  onStep('scores')
  const graph = buildGraph(index.size, edges)
  const configured = findSeeds(index, options.seeds)
  const seedsChosen = configured.known.length === 0
  const seeds = seedsChosen ? defaultSeeds(graph, accounts.registeredAt) : configured.known
  const { scores, flow } = computeScores(
    graph,
    accounts,
    seeds,
    nowUnix,
    options.score ?? defaultScoreOptions,
  )

  onStep('writing')
  const changed = await storeScores(session, index, scores, currentScores, options.epsilon ?? EPSILON, signal)
  if (changed > 0) await publishInvalidation(session, [cacheTag.everything])
  const finishedMs = clock()
  await session`
    insert into score.runs (started_at, finished_at, users, edges, changed)
    values (${startedMs}::bigint, ${finishedMs}::bigint, ${index.size}, ${graph.edges}::bigint, ${changed})
  `
  return {
    users: index.size,
    edges: graph.edges,
    seeds: Array.from(seeds, (user) => index.fids[user]!),
    seedsChosen,
    unknownSeeds: configured.unknown,
    iterations: flow.iterations,
    changed,
    quantiles: quantilesOf(scores),
    durationMs: finishedMs - startedMs,
  }
}

function findSeeds(index: FidIndex, fids: readonly number[]): { known: Uint32Array; unknown: number[] } {
  const distinct = [...new Set(fids)]
  const known = distinct.map((fid) => index.indexOf(fid)).filter((user) => user >= 0)
  return {
    known: Uint32Array.from(known).sort(),
    unknown: distinct.filter((fid) => index.indexOf(fid) < 0),
  }
}

function quantilesOf(scores: Float64Array): ScoreSummary['quantiles'] {
  const ascending = scores.slice().sort()
  const at = (share: number) => ascending[Math.floor(share * ascending.length)] ?? 0
  return { p10: at(0.1), p25: at(0.25), p50: at(0.5), p75: at(0.75), p90: at(0.9) }
}
