import { calibrate, type TrustCurve, trustProbabilities } from './calibration.js'
import type { TrustGraph } from './graph.js'
import {
  applyNeighborhoodPenalty,
  defaultNeighborhoodPenaltyOptions,
  type NeighborhoodPenaltyOptions,
} from './neighborhood-penalty.js'
import {
  type AccountFeatures,
  defaultSpamSignalWeights,
  type SpamSignalWeights,
  spamPenalty,
  spamSignalsOf,
} from './spam-signals.js'
import {
  codeWeights,
  defaultTrustOptions,
  outWeights,
  propagateTrust,
  type TrustOptions,
  type TrustResult,
} from './trust.js'

export interface ScoreOptions {
  readonly trust: TrustOptions
  readonly curve: TrustCurve
  readonly spamSignals: SpamSignalWeights
  readonly neighborhoodPenalty: NeighborhoodPenaltyOptions
}

/** `docs/score.md` says why. */
export const defaultScoreOptions: ScoreOptions = {
  trust: defaultTrustOptions,
  curve: { unknown: 0.1, halfFollows: 1.5, steepness: 1.5 },
  spamSignals: defaultSpamSignalWeights,
  neighborhoodPenalty: defaultNeighborhoodPenaltyOptions,
}

/** The scores, and the trust that they come from. */
export interface Scores {
  /** The probability that each account is not spam: 0..1. */
  readonly scores: Float64Array
  readonly flow: TrustResult
}

/**
 * The score of every account: the probability that trust alone gives it (`trust.ts`, `calibration.ts`),
 * lowered by its signs of spam (`signs.ts`) and by the company it keeps (`company.ts`).
 *
 *     odds(v) = logit(p(v)) - sum of weight · sign(v)
 *     score(v) = logistic( odds(v) - weight · company(v) )
 *
 * The same accounts, endorsements, seeds and time give the same bits.
 *
 * @param seeds numbers of accounts, each once, at least one unless there are no accounts
 * @param nowUnix Unix seconds
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
    return (
      logit(probability) - spamPenalty(spamSignalsOf(user, graph, accounts, nowUnix), options.spamSignals)
    )
  })
  return { scores: applyNeighborhoodPenalty(graph, odds, weights, options.neighborhoodPenalty), flow }
}

function logit(probability: number): number {
  return Math.log(probability / (1 - probability))
}
