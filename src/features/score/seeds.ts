import { FOLLOW } from './edge-list.js'
import { follows, type TrustGraph } from './graph.js'

/** Seeds are sought among this share of all accounts, the oldest ones, */
const COHORT_SHARE = 0.25
const COHORT_MIN = 50
/** and one in so many accounts becomes a seed, within these bounds. */
const USERS_PER_SEED = 200
const SEEDS_MIN = 10
const SEEDS_MAX = 500

/** A seed is in mutual follows with at least so many of the oldest accounts, where any account is. */
const MUTUAL_MIN = 3

/**
 * Seeds for a network whose operator names none: the best followed of the oldest accounts, among those in
 * mutual follows with other old accounts. Each of the oldest accounts has one vote, which is split among all
 * whom it follows:
 *
 *     votes(v) = sum over u, old and following v, of 1 / following(u)
 *
 * Accounts made after the oldest quarter have no vote, and a ring that follows itself in full gives each of
 * its members less than one, however large it is.
 *
 * @param registeredAt when each account was registered, Unix seconds
 * @returns numbers of accounts, ascending; at least one where there is one
 */
export function defaultSeeds(graph: TrustGraph, registeredAt: Float64Array): Uint32Array {
  const cohort = oldestAccounts(registeredAt)
  const { votes, mutual } = countVotes(graph, cohort)
  const seedCount = Math.min(SEEDS_MAX, Math.max(SEEDS_MIN, Math.round(graph.users / USERS_PER_SEED)))
  // The cohort comes oldest first and the sort is stable, so the older one wins among equals.
  const best = Array.from(cohort).sort((a, b) => votes[b]! - votes[a]!)
  const mutuallyFollowed = best.filter((user) => mutual[user]! >= MUTUAL_MIN)
  const voted = best.filter((user) => votes[user]! > 0)
  const candidates = [mutuallyFollowed, voted, best].find(({ length }) => length > 0) ?? []
  return Uint32Array.from(candidates.slice(0, seedCount)).sort()
}

/** The oldest accounts, oldest first; the lower number among those of one second. */
function oldestAccounts(registeredAt: Float64Array): Uint32Array {
  const size = Math.max(COHORT_MIN, Math.ceil(registeredAt.length * COHORT_SHARE))
  return Uint32Array.from(registeredAt, (_, user) => user)
    .sort((a, b) => registeredAt[a]! - registeredAt[b]! || a - b)
    .slice(0, size)
}

interface Votes {
  readonly votes: Float64Array
  /** With how many of the cohort each of them is in mutual follows. */
  readonly mutual: Uint32Array
}

function countVotes(graph: TrustGraph, cohort: Uint32Array): Votes {
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
