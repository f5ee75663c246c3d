/** What trust is measured in, in one network. */
export interface Calibration {
  /** The share of trust that one follow of a typical trusted account brings. */
  readonly follow: number
  /** The weight of all that a typical trusted account endorses. */
  readonly weight: number
}

/**
 * Shares of trust get smaller as a network grows, so they say nothing without a unit. Ours is the follow of
 * a typical account, where each account counts with its own trust (a geometric mean):
 *
 *     ln follow = sum over u of t(u) · ln( d · t(u) / W(u) )
 *
 * A unit made of plain means or quantiles would be in the hands of whoever makes many accounts. Accounts that
 * hold next to no trust, however many, hardly move this one.
 *
 * @returns null where nobody who is trusted endorses anybody
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

/** How trust becomes a probability. */
export interface TrustCurve {
  /** The probability given to an account that trust does not reach. */
  readonly unknown: number
  /** So many typical follows bring an account half of the way from there to certainty. */
  readonly halfFollows: number
  /** How steep the way is there. */
  readonly steepness: number
}

/** No trust is so large that signs would not matter. */
const CERTAIN = 0.999
/** In a network of few links, half of the way takes no more follows than this part of what one account gives. */
const HALF_WEIGHT_PART = 0.1

/**
 * The probability that trust alone gives each account, a logistic curve over the logarithm of trust:
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
