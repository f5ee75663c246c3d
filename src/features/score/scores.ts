import type { TrustGraph } from './graph.js'
import { applyNeighborhoodPenalty, defaultNeighborhoodPenaltyOptions } from './neighborhood-penalty.js'
import { type AccountFeatures, defaultSpamSignalWeights, spamPenalty, spamSignalsOf } from './spam-signals.js'
import { codeWeights, defaultTrustOptions, outWeights, propagateTrust, type TrustResult } from './trust.js'

/** Chosen in `docs/score.md`. */
export const defaultScoreOptions = {
  trust: defaultTrustOptions,
  /** From trust to probability. */
  curve: {
    /** Probability of an account that trust does not reach. */
    unknown: 0.1,
    /** Number of typical follows that bring an account half of the way to certainty. */
    halfFollows: 1.5,
    /** Steepness at that point. */
    steepness: 1.5,
  },
  spamSignals: defaultSpamSignalWeights,
  neighborhoodPenalty: defaultNeighborhoodPenaltyOptions,
}

/** Parameters of the score. */
export type ScoreOptions = Readonly<typeof defaultScoreOptions>

/** The scores and the trust that they derive from. */
export interface Scores {
  /** Probability per account that it is not spam: 0..1. */
  readonly scores: Float64Array
  readonly flow: TrustResult
}

/**
 * Computes the score of every account.
 *
 * The score is the probability by trust (`trust.ts`), lowered by spam signals
 * (`spam-signals.ts`) and by the neighborhood (`neighborhood-penalty.ts`):
 *
 *     odds(v) = logit(p(v)) - sum of weight · signal(v)
 *     score(v) = logistic( odds(v) - weight · penalty(v) )
 *
 * The same accounts, endorsements, seeds and time give the same bits.
 *
 * @param seeds Distinct account numbers, at least one unless there are no accounts.
 * @param nowUnix Unix seconds.
 */
export function computeScores(
  graph: TrustGraph,
  accounts: AccountFeatures,
  seeds: Uint32Array,
  nowUnix: number,
  options: ScoreOptions = defaultScoreOptions,
): Scores {
  const flow = propagateTrust(graph, seeds, options.trust)
  const weights = codeWeights(options.trust)
  const calibration = calibrate(flow.trust, outWeights(graph, weights), options.trust.damping)
  const probabilities = trustProbabilities(flow.trust, calibration, options.curve)
  const odds = probabilities.map((probability, user) => {
    const signals = spamSignalsOf(user, graph, accounts, nowUnix)
    return logit(probability) - spamPenalty(signals, options.spamSignals)
  })
  return { scores: applyNeighborhoodPenalty(graph, odds, weights, options.neighborhoodPenalty), flow }
}

function logit(probability: number): number {
  return Math.log(probability / (1 - probability))
}

/**
 * Computes the unit of trust: the follow of a typical account.
 *
 * Shares of trust shrink as a network grows. The unit is a geometric mean weighted by trust:
 *
 *     ln follow = sum over u of t(u) · ln( d · t(u) / W(u) )
 *
 * Anyone who creates many accounts could shift plain means or quantiles. Accounts with almost no trust hardly
 * change this unit.
 *
 * @returns Share of trust brought by one follow of a typical trusted account, and the total endorsement weight of
 * such an account; null when no trusted account endorses anyone.
 */
function calibrate(trust: Float64Array, outWeight: Float64Array, damping: number) {
  let total = 0
  let logFollow = 0
  let logWeight = 0
  for (let user = 0; user < trust.length; user += 1) {
    const share = trust[user]!
    const weight = outWeight[user]!
    if (share === 0 || weight === 0) continue
    total += share
    logFollow += share * Math.log((damping * share) / weight)
    logWeight += share * Math.log(weight)
  }
  return total === 0 ? null : { follow: Math.exp(logFollow / total), weight: Math.exp(logWeight / total) }
}

/** Upper bound, so that signals matter for every account. */
const CERTAIN = 0.999
/** In a network with few links, half of the way takes at most this part of one account's total weight. */
const HALF_WEIGHT_PART = 0.1

/**
 * Converts trust to probabilities by a logistic curve over its logarithm:
 *
 *     x(v) = t(v) / follow
 *     p(v) = unknown + (0.999 - unknown) · x^s / (x^s + half^s)
 */
function trustProbabilities(
  trust: Float64Array,
  calibration: ReturnType<typeof calibrate>,
  { unknown, halfFollows, steepness }: ScoreOptions['curve'],
): Float64Array {
  if (calibration === null) return new Float64Array(trust.length).fill(unknown)
  const half = Math.min(halfFollows, HALF_WEIGHT_PART * calibration.weight)
  const halfTrust = half * calibration.follow
  return trust.map((share) => {
    if (share === 0) return unknown
    return unknown + (CERTAIN - unknown) / (1 + (halfTrust / share) ** steepness)
  })
}
