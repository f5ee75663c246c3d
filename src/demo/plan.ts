import { DAY_SECONDS } from '../platform/durations.js'
import { FollowGraph } from './follow-graph.js'
import { cities, topics } from './lexicon.js'
import { type DemoOptions, demoDays, demoStart } from './options.js'
import { Random, WeightedIndex } from './random.js'

/**
 * Properties of all users, drawn in advance. Users are numbered from 0 in the order of joining; user `u` has
 * fid `u + 1`. Typed arrays take about 30 bytes per user and 16 per follow.
 */
export interface Plan {
  /** Unix seconds at which each user joins, ascending. */
  readonly joinedAt: Float64Array
  /** Index into `cities`. */
  readonly city: Uint8Array
  /** Indices into `topics`: first and second choice of a user. */
  readonly topics: readonly [Uint8Array, Uint8Array]
  /** 1 for users who buy the pro tier. */
  readonly isPro: Uint8Array
  /** Weights of users who cast and who react: few do most of it. */
  readonly casters: WeightedIndex
  readonly reactors: WeightedIndex
  /** Attention that a user gets, at least 1. */
  readonly popularity: Float64Array
  readonly follows: FollowGraph
}

/** The accounts of apps are the first to join. */
export const appCount = 3

const PRO_SHARE = 0.05
/** Days before the end without new users. */
const QUIET_DAYS = 3
/** 1 is a constant rate; above it, more users join early. */
const EARLY_RUSH = 1.6
const MAX_ACTIVITY = 300
const MAX_POPULARITY = 1500

/** Draws the plan of a demo. The same options give the same plan. */
export function makePlan(options: DemoOptions): Plan {
  const { users, seed } = options
  const random = new Random(`plaza demo plan|${seed}`)
  const topicWeights = new WeightedIndex(Float64Array.from(topics, ({ weight }) => weight))
  const plan = {
    joinedAt: joinTimes(options, random),
    city: new Uint8Array(users).map(() => random.below(cities.length)),
    topics: [
      new Uint8Array(users).map(() => topicWeights.draw(random, topics.length)),
      new Uint8Array(users).map(() => topicWeights.draw(random, topics.length)),
    ] as const,
    isPro: new Uint8Array(users).map(() => Number(random.chance(PRO_SHARE))),
    casters: activity(users, 1.15, random),
    reactors: activity(users, 1.35, random),
    popularity: new Float64Array(users).map(() => Math.min(random.pareto(1.1), MAX_POPULARITY)),
  }
  for (let app = 0; app < Math.min(appCount, users); app += 1) plan.popularity[app]! += MAX_POPULARITY / 20
  return { ...plan, follows: FollowGraph.make(options, plan, random) }
}

function joinTimes(options: DemoOptions, random: Random): Float64Array {
  const start = demoStart(options)
  const span = (demoDays - QUIET_DAYS) * DAY_SECONDS
  const times = new Float64Array(options.users).map(() => {
    const share = Math.exp(Math.log(random.fraction() + 1e-12) * EARLY_RUSH)
    return start + Math.floor(share * span)
  })
  // The apps join first, because users need them.
  for (let app = 0; app < Math.min(appCount, options.users); app += 1) times[app] = start + app * 60
  return times.sort()
}

function activity(users: number, exponent: number, random: Random): WeightedIndex {
  // In a small network, no user may write nearly everything.
  const most = Math.min(MAX_ACTIVITY, 6 + users / 40)
  return new WeightedIndex(new Float64Array(users).map(() => Math.min(random.pareto(exponent) - 0.9, most)))
}

/** Returns the fid of a user. */
export const fidOf = (user: number): number => user + 1
