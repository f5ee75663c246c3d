import type { TrustGraph } from './graph.js'

/** Chosen in `docs/score.md`. */
export const defaultNeighborhoodPenaltyOptions = {
  /** Reduction of the log-odds at full doubt. */
  weight: 4,
  /** Accounts with this score or more are not doubted, */
  trustedScore: 0.9,
  /** and those with this score or less are fully doubted; linear in between. */
  doubtedScore: 0.5,
  /** Weight of a one-way endorsement relative to a mutual one, where there is doubt. */
  oneWayShare: 0.2,
  /** Prior weight of undoubted ties, so that one bad tie proves little. */
  priorWeight: 5,
  /** Stops when no score moves by more than this in a round. */
  tolerance: 1e-3,
  maxRounds: 40,
}

/** Parameters of the penalty. */
export type NeighborhoodPenaltyOptions = Readonly<typeof defaultNeighborhoodPenaltyOptions>

/**
 * Lowers the score of accounts that endorse doubted accounts, above all mutually.
 *
 *     doubted(v) = sum over u of  w(v,u) · doubt(score(u)),  a fifth of it where u does not endorse v
 *     penalty(v) = doubted(v) / ( prior + sum of w(v,u) over mutual ties + one-way part of doubted(v) )
 *     score(v) = logistic( odds(v) - weight · penalty(v) )
 *
 * In a dense ring, bought links reach only some members, but all are tied to each other: doubt in most members
 * spreads to all. This is mean-field belief propagation over ties, as in SybilBelief (Gong, Frank and
 * Mittal 2014) and SybilSCAR (Wang, Zhang and Gong 2017).
 *
 * Only an account's own endorsements count, so followers cannot lower anyone's score. One-way endorsements
 * only count against an account, so following trusted accounts does not raise a score.
 *
 * Scores start without doubt and only fall, towards the highest fixed point, so the iteration converges.
 *
 * @param odds Log-odds of each score before the penalty.
 * @param weights Weight of each edge code (`trust.ts`).
 */
export function applyNeighborhoodPenalty(
  graph: TrustGraph,
  odds: Float64Array,
  weights: Float64Array,
  options: NeighborhoodPenaltyOptions,
): Float64Array {
  const mutual = mutualEdges(graph)
  const endorsementSums = emptySums(graph.users)
  addOverEndorsements(graph, mutual, weights, () => 1, endorsementSums)
  const doubts = new Float64Array(graph.users)
  const doubted = emptySums(graph.users)
  let scores = odds.map(logistic)
  for (
    let round = 0, largestChange = 1;
    round < options.maxRounds && largestChange > options.tolerance;
    round += 1
  ) {
    const before = scores
    // Doubt only grows, so each round adds the growth; after a few rounds it grows for few accounts.
    const growth = (user: number) => {
      const grown = doubt(before[user]!, options) - doubts[user]!
      if (grown <= options.tolerance) return 0
      doubts[user]! += grown
      return grown
    }
    addOverEndorsements(graph, mutual, weights, growth, doubted)
    scores = odds.map((value, user) => {
      const oneWayDoubt = options.oneWayShare * doubted.oneWay[user]!
      const totalWeight = options.priorWeight + endorsementSums.mutual[user]! + oneWayDoubt
      return logistic(value - options.weight * ((doubted.mutual[user]! + oneWayDoubt) / totalWeight))
    })
    largestChange = scores.reduce((most, score, user) => Math.max(most, before[user]! - score), 0)
  }
  return scores
}

function doubt(score: number, { trustedScore, doubtedScore }: NeighborhoodPenaltyOptions): number {
  return Math.min(1, Math.max(0, (trustedScore - score) / (trustedScore - doubtedScore)))
}

/** Sums per account: over mutual ties, and over one-way endorsements. */
interface Sums {
  readonly mutual: Float64Array
  readonly oneWay: Float64Array
}

function emptySums(users: number): Sums {
  return { mutual: new Float64Array(users), oneWay: new Float64Array(users) }
}

/** Adds to each account the weight of its endorsements times `factor` of the endorsed. */
function addOverEndorsements(
  { users, start, source, code }: TrustGraph,
  mutualBits: Uint8Array,
  weights: Float64Array,
  factor: (user: number) => number,
  { mutual, oneWay }: Sums,
): void {
  for (let user = 0; user < users; user += 1) {
    const times = factor(user)
    if (times === 0) continue
    const end = start[user + 1]!
    for (let edge = start[user]!; edge < end; edge += 1) {
      const sums = (mutualBits[edge >>> 3]! & (1 << (edge & 7))) === 0 ? oneWay : mutual
      sums[source[edge]!]! += times * weights[code[edge]!]!
    }
  }
}

/**
 * Computes one bit per edge: whether the reverse edge exists.
 *
 * Endorsed accounts and rows are ascending, so one cursor per row only moves forward.
 */
function mutualEdges({ users, edges, start, source }: TrustGraph): Uint8Array {
  const mutual = new Uint8Array(Math.ceil(edges / 8))
  const rowCursors = start.slice(0, users)
  for (let user = 0; user < users; user += 1) {
    const end = start[user + 1]!
    for (let edge = start[user]!; edge < end; edge += 1) {
      const other = source[edge]!
      const last = start[other + 1]!
      let rowIndex = rowCursors[other]!
      while (rowIndex < last && source[rowIndex]! < user) rowIndex += 1
      rowCursors[other] = rowIndex
      if (rowIndex < last && source[rowIndex] === user) mutual[edge >>> 3]! |= 1 << (edge & 7)
    }
  }
  return mutual
}

function logistic(x: number): number {
  return 1 / (1 + Math.exp(-x))
}
