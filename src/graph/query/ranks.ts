import { DAY_SECONDS, HOUR_SECONDS } from '../../platform/durations.js'

/** A cast and its rank. */
export interface RankedCast {
  readonly rank: number
  /** Lowercase hex without 0x. */
  readonly hash: string
}

/** The maximum number of casts that a trending feed ranks: the newest. */
export const MAX_TRENDING_CANDIDATES = 50_000

/** The limits of a for-you feed: seconds back, latest follows, and latest activity of each of them. */
export const forYouWindow = {
  seconds: 3 * DAY_SECONDS,
  followed: 300,
  casts: 10,
  likes: 10,
  recasts: 5,
} as const
/** The weights of the activity of followed users: casts of theirs that start a thread, recasts and likes. */
export const affinityWeights = { cast: 4, recast: 2, like: 1 } as const
/** Ranked casts: those with the most activity by followed users. */
export const MAX_FOR_YOU_CANDIDATES = 1_000

/** Reactions, replies and quotes of a cast. */
export interface CastActivity {
  readonly likes: number
  readonly recasts: number
  readonly replies: number
  readonly quotes: number
}

/**
 * The rank of a cast in trending feeds, as `trendingScore` computes it in SQL:
 *
 *     (likes + 2·recasts + 2·quotes + 3·replies) / (hours + 2) ^ 1.5
 *
 * A reply takes more effort than a like and weighs more. After two hours a cast needs 2.8 times the activity
 * of a new cast for the same score, after a day 48 times.
 *
 * @param age In seconds.
 */
export function trendingRank({ likes, recasts, replies, quotes }: CastActivity, age: number): number {
  return (likes + 2 * recasts + 2 * quotes + 3 * replies) / decay(Math.max(age, 0))
}

/**
 * The rank of a cast in a for-you feed, as `readForYouFeed` computes it in SQL:
 *
 *     affinity · (1 + ln(1 + reactions, replies and quotes)) / (hours + 2) ^ 1.5
 *
 * Two implementations of a logarithm may differ in the last bit, so ranks are cut to nine decimals: a cursor of the one
 * holds in the other.
 *
 * @param age In seconds.
 */
export function forYouRank(affinity: number, activity: number, age: number): number {
  return Math.floor(((affinity * (1 + Math.log(1 + activity))) / decay(age)) * 1e9) / 1e9
}

/** `(hours + 2) ^ 1.5` by operations that give the same bits everywhere. */
function decay(age: number): number {
  const hours = age / HOUR_SECONDS + 2
  return hours * Math.sqrt(hours)
}
