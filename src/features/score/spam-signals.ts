import type { TrustGraph } from './graph.js'

/**
 * What is known of each account beside the graph, in one array per fact. All of it is the account's own doing:
 * nothing that somebody else does to an account is a sign against it, or spammers could lower the score of
 * whom they like.
 */
export interface AccountFeatures {
  /** Unix seconds. */
  readonly registeredAt: Float64Array
  /** How many of username, display name, picture and bio are filled. */
  readonly profileParts: Uint8Array
  /** The most follows that it made within an hour and that still stand. */
  readonly peakFollows: Uint32Array
  /** Its casts of late, */
  readonly casts: Uint32Array
  /** those that are a link and next to no words, */
  readonly linkCasts: Uint32Array
  /** those with enough words to tell whether they were said before, and how many different ones. */
  readonly wordyCasts: Uint32Array
  readonly differentWordyCasts: Uint32Array
}

const PROFILE_PARTS = 4

/** What each sign takes off the log-odds of the score where it is fully there. */
export interface SpamSignalWeights {
  /** Says the same again and again. */
  readonly repetition: number
  /** Posts links without words. */
  readonly links: number
  /** Follows far more accounts than follow it. */
  readonly imbalance: number
  /** Follows faster than a person does. */
  readonly burst: number
  /** Has no profile. */
  readonly missingProfile: number
  /** Has just been registered. */
  readonly newAccount: number
}

/** `docs/score.md` says why. */
export const defaultSpamSignalWeights: SpamSignalWeights = {
  repetition: 1.5,
  links: 1,
  imbalance: 1,
  burst: 1,
  missingProfile: 0.75,
  newAccount: 0.5,
}

const NEW_ACCOUNT_SECONDS = 30 * 24 * 60 * 60
/** Added below each ratio, so that two casts prove nothing. */
const CASTS_PRIOR = 5
const FOLLOWS_PRIOR = 20

/**
 * The signs of one account, each from 0, not there, to 1, fully there.
 *
 * @param nowUnix Unix seconds
 */
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

/** What the signs take off the log-odds: the weighted sum. */
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

/** 0 up to `from`, 1 from `to` on, straight in between. */
function ramp(value: number, from: number, to: number): number {
  return Math.min(1, Math.max(0, (value - from) / (to - from)))
}
