import { FOLLOW, MAX_LIKES } from './edge-list.js'
import type { TrustGraph } from './graph.js'

export interface TrustOptions {
  /** Share of its trust that an account hands on; the rest goes back to the seeds. */
  readonly damping: number
  /** What a follow weighs. */
  readonly followWeight: number
  /** What any number of likes of one account by another weighs at most. */
  readonly likesWeight: number
  /** How many likes weigh half of that. */
  readonly likesHalf: number
  /** Ends when the trust that moved in a round is less than this share of all trust. */
  readonly tolerance: number
  readonly maxIterations: number
}

/** `docs/score.md` says why. */
export const defaultTrustOptions: TrustOptions = {
  damping: 0.75,
  followWeight: 1,
  likesWeight: 1,
  likesHalf: 5,
  tolerance: 1e-6,
  maxIterations: 50,
}

/** Where trust has come to rest. */
export interface TrustResult {
  /** Each account's share of all trust: not negative, together 1. */
  readonly trust: Float64Array
  readonly iterations: number
  /** How much trust moved in the last round (L1). */
  readonly residual: number
}

/**
 * Trust that starts at the seeds and flows along endorsements:
 *
 *     t(v) = (1 - d) p(v) + d ( sum over u of t(u) w(u,v) / W(u)  +  D p(v) )
 *
 * with p = 1/|seeds| on the seeds and 0 elsewhere, W(u) = sum of w(u, ·), and D the trust of accounts that
 * endorse nobody, which goes back to the seeds as well. This is personalised PageRank (Page, Brin, Motwani and
 * Winograd 1999; Haveliwala 2002) with a trusted set to start from, as in TrustRank (Gyöngyi, Garcia-Molina and
 * Pedersen 2004) and EigenTrust (Kamvar, Schlosser and Garcia-Molina 2003); solved by power iteration.
 *
 * The weight of likes saturates: w = follow + likes · n / (n + half) for n likes, so that liking everything
 * of someone is worth little more than liking something.
 *
 * Deterministic: no randomness, and every sum runs in the order of the rows.
 *
 * @param seeds numbers of accounts, each once, at least one
 * @param onIteration told after each round, for those who measure
 */
export function propagateTrust(
  graph: TrustGraph,
  seeds: Uint32Array,
  options: TrustOptions,
  onIteration: (iteration: number, residual: number) => void = () => {},
): TrustResult {
  const { users } = graph
  const weights = codeWeights(options)
  const outWeight = outWeights(graph, weights)
  let trust = new Float64Array(users)
  let next = new Float64Array(users)
  for (const seed of seeds) trust[seed] = 1 / seeds.length
  /** What an account gives per unit of weight. */
  const given = new Float64Array(users)
  let iterations = 0
  let residual = Number.POSITIVE_INFINITY
  while (iterations < options.maxIterations && residual > options.tolerance) {
    const idle = shareOut(trust, outWeight, given)
    gather(graph, weights, given, options.damping, next)
    const back = (1 - options.damping + options.damping * idle) / seeds.length
    for (const seed of seeds) next[seed]! += back
    residual = distance(trust, next)
    ;[trust, next] = [next, trust]
    iterations += 1
    onIteration(iterations, residual)
  }
  return { trust, iterations, residual }
}

/** The weight of each of the 256 codes of an edge. */
export function codeWeights({
  followWeight,
  likesWeight,
  likesHalf,
}: Pick<TrustOptions, 'followWeight' | 'likesWeight' | 'likesHalf'>): Float64Array {
  return Float64Array.from({ length: 256 }, (_, code) => {
    const likes = code & MAX_LIKES
    return (code >= FOLLOW ? followWeight : 0) + (likes > 0 ? (likesWeight * likes) / (likes + likesHalf) : 0)
  })
}

/** The sum of the weights of what each account endorses. */
export function outWeights({ source, code, edges, users }: TrustGraph, weights: Float64Array): Float64Array {
  const out = new Float64Array(users)
  for (let edge = 0; edge < edges; edge += 1) out[source[edge]!]! += weights[code[edge]!]!
  return out
}

/** Fills what each account gives per unit of weight; returns the trust of those who endorse nobody. */
function shareOut(trust: Float64Array, outWeight: Float64Array, given: Float64Array): number {
  let idle = 0
  for (let user = 0; user < trust.length; user += 1) {
    const out = outWeight[user]!
    if (out > 0) given[user] = trust[user]! / out
    else {
      given[user] = 0
      idle += trust[user]!
    }
  }
  return idle
}

function gather(
  { start, source, code, users }: TrustGraph,
  weights: Float64Array,
  given: Float64Array,
  damping: number,
  next: Float64Array,
): void {
  let edge = 0
  for (let user = 0; user < users; user += 1) {
    const end = start[user + 1]!
    let sum = 0
    for (; edge < end; edge += 1) sum += given[source[edge]!]! * weights[code[edge]!]!
    next[user] = damping * sum
  }
}

function distance(a: Float64Array, b: Float64Array): number {
  let sum = 0
  for (let user = 0; user < a.length; user += 1) sum += Math.abs(a[user]! - b[user]!)
  return sum
}
