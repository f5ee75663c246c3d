import { FOLLOW, MAX_LIKES, type TrustGraph } from './graph.js'

/** Chosen in `docs/score.md`. */
export const defaultTrustOptions = {
  /** Share of its trust that an account passes on; the rest returns to the seeds. */
  damping: 0.75,
  followWeight: 1,
  /** Upper bound of the weight of one account's likes of another. */
  likesWeight: 1,
  /** Number of likes with half of that weight. */
  likesHalf: 5,
  /** Stops when the trust moved in a round is below this share of all trust. */
  tolerance: 1e-6,
  maxIterations: 50,
}

/** Parameters of the trust propagation. */
export type TrustOptions = Readonly<typeof defaultTrustOptions>

/** The result of the trust propagation. */
export interface TrustResult {
  /** Share of all trust per account: not negative, sum 1. */
  readonly trust: Float64Array
  readonly iterations: number
  /** Trust moved in the last round (L1). */
  readonly residual: number
}

/**
 * Propagates trust from the seeds along endorsements:
 *
 *     t(v) = (1 - d) p(v) + d ( sum over u of t(u) w(u,v) / W(u)  +  D p(v) )
 *
 * with p = 1/|seeds| on the seeds and 0 elsewhere, W(u) = sum of w(u, ·), and D the trust of accounts that
 * endorse nobody, which returns to the seeds. This is personalized PageRank (Page, Brin, Motwani and
 * Winograd 1999; Haveliwala 2002) with a trusted start set, as in TrustRank (Gyöngyi, Garcia-Molina and
 * Pedersen 2004) and EigenTrust (Kamvar, Schlosser and Garcia-Molina 2003); solved by power iteration.
 *
 * The weight of likes saturates: w = follow + likes · n / (n + half) for n likes, so that liking
 * everything is worth little more than liking something.
 *
 * Deterministic: no randomness, and every sum runs in the order of the rows.
 *
 * @param seeds Distinct account numbers, at least one.
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
  /** Trust passed on per unit of weight by each account. */
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

/** Returns the weight of each of the 256 edge codes. */
export function codeWeights({ followWeight, likesWeight, likesHalf }: TrustOptions): Float64Array {
  return Float64Array.from({ length: 256 }, (_, code) => {
    const likes = code & MAX_LIKES
    return (code >= FOLLOW ? followWeight : 0) + (likes > 0 ? (likesWeight * likes) / (likes + likesHalf) : 0)
  })
}

/** Returns the total endorsement weight of each account. */
export function outWeights({ source, code, edges, users }: TrustGraph, weights: Float64Array): Float64Array {
  const out = new Float64Array(users)
  for (let edge = 0; edge < edges; edge += 1) out[source[edge]!]! += weights[code[edge]!]!
  return out
}

/**
 * Computes what each account passes on per unit of weight; returns the trust of accounts without
 * endorsements.
 */
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
