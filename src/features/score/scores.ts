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

/** Chosen in `docs/score.md`. */
export const defaultScoreOptions: ScoreOptions = {
  trust: defaultTrustOptions,
  curve: { unknown: 0.1, halfFollows: 1.5, steepness: 1.5 },
  spamSignals: defaultSpamSignalWeights,
  neighborhoodPenalty: defaultNeighborhoodPenaltyOptions,
}

/** The scores and the trust that they derive from. */
export interface Scores {
  /** Probability per account that it is not spam: 0..1. */
  readonly scores: Float64Array
  readonly flow: TrustResult
}

/**
 * Computes the score of every account.
 *
 * The score is the probability by trust (`trust.ts`, `calibration.ts`), lowered by spam signals
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
    return (
      logit(probability) - spamPenalty(spamSignalsOf(user, graph, accounts, nowUnix), options.spamSignals)
    )
  })
  return { scores: applyNeighborhoodPenalty(graph, odds, weights, options.neighborhoodPenalty), flow }
}

function logit(probability: number): number {
  return Math.log(probability / (1 - probability))
}
