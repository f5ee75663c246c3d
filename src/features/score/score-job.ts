import { cacheTag } from '../../graph/cache/cache-tags.js'
import { publishInvalidation } from '../../graph/cache/invalidation.js'
import type { Database, Session } from '../../platform/db/connection.js'
import type { FidIndex } from './fid-index.js'
import { buildGraph, EdgeList } from './graph.js'
import { loadAccounts, loadCastCounts, loadFollows, loadLikes } from './load-network.js'
import { computeScores, defaultScoreOptions } from './scores.js'
import { defaultSeeds } from './seeds.js'

export interface RecomputeOptions {
  /** Fids of trusted accounts; chosen automatically when empty (`seeds.ts`). */
  readonly seeds: readonly number[]
  /** Unix milliseconds. */
  readonly clock: () => number
  /** Aborts the job between two batches of rows. */
  readonly signal?: AbortSignal
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
  readonly changed: number
  /** Percentiles of all scores. */
  readonly quantiles: Readonly<Record<'p10' | 'p25' | 'p50' | 'p75' | 'p90', number>>
  readonly durationMs: number
}

/** Changes up to this are not written. */
const EPSILON = 0.002
/** Advisory lock id: the bytes of "score". */
const SCORE_LOCK = 0x73636f7265

/**
 * Computes `social.users.score` of every account and writes the changes.
 *
 * Takes one connection and nine bytes of memory per endorsement, and blocks its thread for seconds on a large
 * network: servers run it in a thread (`score-schedule.ts`).
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
    const [before] = await session<{ timeout: string }[]>`
      select current_setting('statement_timeout') as timeout
    `
    try {
      // Whole tables are read, and sorted without an index.
      await session`set statement_timeout = 0`
      await session`set work_mem = '64MB'`
      // Ends the long statement when this process dies.
      await session`set client_connection_check_interval = '5s'`
      return await recompute(session, options)
    } finally {
      // A reset would bring the server's own: the timeout of a session is set after connecting.
      await session`select set_config('statement_timeout', ${before!.timeout}, false)`
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
  const { scores, flow } = computeScores(graph, accounts, seeds, nowUnix, defaultScoreOptions)

  onStep('writing')
  const changed = await storeScores(session, index, scores, currentScores, signal)
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
  const isKnown = (fid: number) => index.indexOf(fid) >= 0
  const known = distinct.filter(isKnown).map((fid) => index.indexOf(fid))
  return { known: Uint32Array.from(known).sort(), unknown: distinct.filter((fid) => !isKnown(fid)) }
}

function quantilesOf(scores: Float64Array): ScoreSummary['quantiles'] {
  const ascending = scores.slice().sort()
  const at = (share: number) => ascending[Math.floor(share * ascending.length)] ?? 0
  return { p10: at(0.1), p25: at(0.25), p50: at(0.5), p75: at(0.75), p90: at(0.9) }
}

/** Rows per statement and transaction: few, so that merges never wait long. */
const CHUNK_ROWS = 2_000

/**
 * Writes scores that differ from the stored ones by more than `EPSILON`, in chunks committed one by one.
 *
 * A row locked by a merge is left for the second pass, then for the next run. The job never waits for a row
 * lock, so it cannot deadlock or fail a merge. Caches are invalidated at the end, also if it is aborted.
 *
 * @param currentScores Stored scores; NaN for none.
 */
async function storeScores(
  session: Session,
  { fids }: FidIndex,
  scores: Float64Array,
  currentScores: Float64Array,
  signal: AbortSignal,
): Promise<number> {
  const changed = [...scores.keys()].filter(
    (user) => !(Math.abs(scores[user]! - currentScores[user]!) <= EPSILON),
  )
  let written = 0
  let pending = changed
  try {
    for (let pass = 1; pass <= 2; pass += 1) {
      const lockedUsers: number[] = []
      for (let start = 0; start < pending.length; start += CHUNK_ROWS) {
        signal.throwIfAborted()
        const chunk = pending.slice(start, start + CHUNK_ROWS)
        const writtenFids = await storeChunk(session, fids, scores, chunk)
        written += writtenFids.size
        lockedUsers.push(...chunk.filter((user) => !writtenFids.has(fids[user]!)))
      }
      pending = lockedUsers
    }
  } finally {
    if (written > 0) await publishInvalidation(session, [cacheTag.everything])
  }
  return written
}

/** Writes one chunk and returns the fids whose rows were not locked. */
async function storeChunk(
  session: Session,
  fids: Float64Array,
  scores: Float64Array,
  users: readonly number[],
): Promise<Set<number>> {
  const rows = await session<{ fid: number }[]>`
    with scored as (
      select *
      from unnest(
        ${users.map((user) => fids[user]!)}::bigint[],
        ${users.map((user) => String(Math.fround(scores[user]!)))}::text[]::real[]
      ) as scored (fid, score)
    ), free as (
      select u.fid
      from social.users u
      join scored using (fid)
      for no key update of u skip locked
    )
    update social.users u
    set score = scored.score
    from scored
    join free using (fid)
    where u.fid = scored.fid
    returning u.fid
  `
  return new Set(rows.map(({ fid }) => fid))
}
