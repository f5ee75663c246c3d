import { DAY_SECONDS } from '../../platform/durations.js'
import type { TrustGraph } from './graph.js'

/**
 * Features of each account beside the graph, one array each.
 *
 * All of them are the account's own behavior. Otherwise spammers could lower the score of others.
 */
export interface AccountFeatures {
  /** Unix seconds. */
  readonly registeredAt: Float64Array
  /** Filled fields among username, display name, picture and bio. */
  readonly profileParts: Uint8Array
  /** Most current follows that it made within an hour. */
  readonly peakFollows: Uint32Array
  /** Recent casts, */
  readonly casts: Uint32Array
  /** those with a link and almost no words, */
  readonly linkCasts: Uint32Array
  /** those with enough words to compare, and the number of distinct ones. */
  readonly wordyCasts: Uint32Array
  readonly differentWordyCasts: Uint32Array
}

const PROFILE_PARTS = 4

/** Reduction of the log-odds by each signal at full strength, chosen in `docs/score.md`. */
export const defaultSpamSignalWeights = {
  /** Repeats the same text. */
  repetition: 1.5,
  /** Posts links without words. */
  links: 1,
  /** Follows far more accounts than follow it. */
  imbalance: 1,
  /** Follows faster than a person does. */
  burst: 1,
  /** Has no profile. */
  missingProfile: 0.75,
  /** Was just registered. */
  newAccount: 0.5,
}

/** A number per signal. */
export type SpamSignalWeights = Readonly<typeof defaultSpamSignalWeights>

const NEW_ACCOUNT_SECONDS = 30 * DAY_SECONDS
/** Added to each denominator, so that two casts prove nothing. */
const CASTS_PRIOR = 5
const FOLLOWS_PRIOR = 20

/** Computes the signals of an account, each from 0 to 1. */
export function spamSignalsOf(
  user: number,
  graph: Pick<TrustGraph, 'following' | 'followers'>,
  accounts: AccountFeatures,
  nowUnix: number,
): SpamSignalWeights {
  const casts = accounts.casts[user]!
  const wordy = accounts.wordyCasts[user]!
  const repeated = wordy - accounts.differentWordyCasts[user]!
  const follows = graph.following[user]! + FOLLOWS_PRIOR
  const followers = graph.followers[user]! + FOLLOWS_PRIOR
  return {
    repetition: ramp(repeated / (wordy + CASTS_PRIOR), 0.1, 0.6),
    links: ramp(accounts.linkCasts[user]! / (casts + CASTS_PRIOR), 0.3, 0.8),
    imbalance: ramp(Math.log(follows / followers), Math.log(4), Math.log(40)),
    burst: ramp(Math.log(Math.max(1, accounts.peakFollows[user]!)), Math.log(60), Math.log(600)),
    missingProfile: 1 - accounts.profileParts[user]! / PROFILE_PARTS,
    newAccount: 1 - ramp(nowUnix - accounts.registeredAt[user]!, 0, NEW_ACCOUNT_SECONDS),
  }
}

/** Returns the weighted sum of signals, to subtract from the log-odds. */
export function spamPenalty(signals: SpamSignalWeights, weights: SpamSignalWeights): number {
  return (
    signals.repetition * weights.repetition +
    signals.links * weights.links +
    signals.imbalance * weights.imbalance +
    signals.burst * weights.burst +
    signals.missingProfile * weights.missingProfile +
    signals.newAccount * weights.newAccount
  )
}

/** 0 up to `from`, 1 from `to` on, linear in between. */
function ramp(value: number, from: number, to: number): number {
  return Math.min(1, Math.max(0, (value - from) / (to - from)))
}
