import type { TrustGraph } from './graph.js'

export interface NeighborhoodPenaltyOptions {
  /** What company in full doubt takes off the log-odds of the score. */
  readonly weight: number
  /** An account of this score or more is in no doubt, */
  readonly trustedScore: number
  /** one of this score or less is in full doubt, straight in between. */
  readonly doubtedScore: number
  /** What an endorsement that is not returned counts, where there is doubt, beside one that is. */
  readonly oneWayShare: number
  /** Weight of ties without doubt that everyone is granted, so that one bad tie proves little. */
  readonly priorWeight: number
  /** Ends when no score moves by more than this in a round. */
  readonly tolerance: number
  readonly maxRounds: number
}

/** `docs/score.md` says why. */
export const defaultNeighborhoodPenaltyOptions: NeighborhoodPenaltyOptions = {
  weight: 4,
  trustedScore: 0.9,
  doubtedScore: 0.5,
  oneWayShare: 0.2,
  priorWeight: 5,
  tolerance: 1e-3,
  maxRounds: 40,
}

/**
 * Lowers each account by the company it keeps: those whom it endorses, above all those who endorse it back.
 *
 *     doubted(v) = sum over u of  w(v,u) · doubt(score(u)),  a fifth of it where u does not endorse v
 *     company(v) = doubted(v) / ( prior + sum of w(v,u) over mutual ties + one-way part of doubted(v) )
 *     score(v) = logistic( odds(v) - weight · company(v) )
 *
 * In a dense ring the bought links of some reach only some, but all are tied to all: doubt in most members
 * becomes doubt in each. This is mean-field belief propagation over ties, as in SybilBelief (Gong, Frank and
 * Mittal 2014) and SybilSCAR (Wang, Zhang and Gong 2017).
 *
 * Only what an account itself endorses counts, so nobody comes into bad company by being followed; and what
 * it endorses without an answer counts only against it, so nobody comes into good company by following.
 *
 * Scores start without doubt and only fall, towards the highest fixed point, so rounds always settle.
 *
 * @param odds log-odds of each score before company
 * @param weights weight of each code of an edge (`trust.ts`)
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
    // Doubt only grows, so each round adds what it has grown by; after a few rounds it grows for few.
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

/** For each account: over those who endorse it back, and over those who do not. */
interface Sums {
  readonly mutual: Float64Array
  readonly oneWay: Float64Array
}

function emptySums(users: number): Sums {
  return { mutual: new Float64Array(users), oneWay: new Float64Array(users) }
}

/** Adds to each account the weight of what it endorses, times `factor` of whom. */
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
 * A bit for each edge: whether there is one in the other direction. The endorsed come in ascending order and
 * rows are ascending, so a finger in each row only ever moves forward.
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
