/** The units of trust in one network. */
export interface Calibration {
  /** Share of trust brought by one follow of a typical trusted account. */
  readonly follow: number
  /** Total endorsement weight of a typical trusted account. */
  readonly weight: number
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
 * @returns Null when no trusted account endorses anyone.
 */
export function calibrate(trust: Float64Array, outWeight: Float64Array, damping: number): Calibration | null {
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

/** Parameters of the curve from trust to probability. */
export interface TrustCurve {
  /** Probability of an account that trust does not reach. */
  readonly unknown: number
  /** Number of typical follows that bring an account half of the way to certainty. */
  readonly halfFollows: number
  /** Steepness at that point. */
  readonly steepness: number
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
export function trustProbabilities(
  trust: Float64Array,
  calibration: Calibration | null,
  { unknown, halfFollows, steepness }: TrustCurve,
): Float64Array {
  if (calibration === null) return new Float64Array(trust.length).fill(unknown)
  const half = Math.min(halfFollows, HALF_WEIGHT_PART * calibration.weight)
  const halfTrust = half * calibration.follow
  return trust.map((share) => {
    if (share === 0) return unknown
    return unknown + (CERTAIN - unknown) / (1 + (halfTrust / share) ** steepness)
  })
}
