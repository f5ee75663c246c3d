import { FOLLOW, follows, type TrustGraph } from './graph.js'

/** Seeds are chosen among this share of the oldest accounts. */
const COHORT_SHARE = 0.25
const MIN_COHORT = 50
/** Accounts per seed, within these bounds. */
const USERS_PER_SEED = 200
const MIN_SEEDS = 10
const MAX_SEEDS = 500

/** Mutual follows with the oldest accounts that a seed needs, when any account has them. */
const MIN_MUTUAL = 3

/**
 * Chooses seeds when the operator configures none.
 *
 * Seeds are the most followed of the oldest accounts that have mutual follows with other old accounts. Each of
 * the oldest accounts has one vote, split among all accounts that it follows:
 *
 *     votes(v) = sum over u, old and following v, of 1 / following(u)
 *
 * Newer accounts have no vote, and a fully connected ring of any size gives each member less than one vote.
 *
 * @param registeredAt Registration times in Unix seconds.
 * @returns Account numbers, ascending; at least one unless there are no accounts.
 */
export function defaultSeeds(graph: TrustGraph, registeredAt: Float64Array): Uint32Array {
  const cohort = oldestAccounts(registeredAt)
  const { votes, mutual } = countVotes(graph, cohort)
  const seedCount = Math.min(MAX_SEEDS, Math.max(MIN_SEEDS, Math.round(graph.users / USERS_PER_SEED)))
  // The cohort is oldest first and the sort is stable, so ties go to the older account.
  const best = Array.from(cohort).sort((a, b) => votes[b]! - votes[a]!)
  const mutuallyFollowed = best.filter((user) => mutual[user]! >= MIN_MUTUAL)
  const voted = best.filter((user) => votes[user]! > 0)
  const candidates = [mutuallyFollowed, voted, best].find(({ length }) => length > 0) ?? []
  return Uint32Array.from(candidates.slice(0, seedCount)).sort()
}

/** Returns the oldest accounts, oldest first; ties by lower number. */
function oldestAccounts(registeredAt: Float64Array): Uint32Array {
  const size = Math.max(MIN_COHORT, Math.ceil(registeredAt.length * COHORT_SHARE))
  return Uint32Array.from(registeredAt, (_, user) => user)
    .sort((a, b) => registeredAt[a]! - registeredAt[b]! || a - b)
    .slice(0, size)
}

/** Returns the votes of each account, and the number of its mutual follows with the cohort. */
function countVotes(graph: TrustGraph, cohort: Uint32Array) {
  const isOld = new Uint8Array(graph.users)
  for (const user of cohort) isOld[user] = 1
  const votes = new Float64Array(graph.users)
  const mutual = new Uint32Array(graph.users)
  for (const user of cohort) {
    const end = graph.start[user + 1]!
    for (let edge = graph.start[user]!; edge < end; edge += 1) {
      const source = graph.source[edge]!
      if (isOld[source] === 0 || graph.code[edge]! < FOLLOW) continue
      votes[user]! += 1 / graph.following[source]!
      if (follows(graph, user, source)) mutual[user]! += 1
    }
  }
  return { votes, mutual }
}

/** Parses `SCORE_SEEDS`, which was validated before: comma-separated fids. */
export function seedList(text: string | undefined): number[] {
  return text === undefined ? [] : text.split(',').map(Number)
}
