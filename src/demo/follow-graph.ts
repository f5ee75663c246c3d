import { HOUR_SECONDS } from '../platform/durations.js'
import { type DemoOptions, demoStart } from './options.js'
import { apportion, type Random, WeightedIndex } from './random.js'

/** Properties of users that determine their follows: see `Plan`. */
interface Traits {
  readonly joinedAt: Float64Array
  readonly topics: readonly [Uint8Array, Uint8Array]
  readonly popularity: Float64Array
}

/** Share of follows that happen within an hour of joining. */
const ONBOARDING_SHARE = 0.55
const ONBOARDING_SECONDS = 2400
/** Share of follows between users with the same first topic. */
const SAME_TOPIC_SHARE = 0.4
/** After this many repeated draws of followed users, the next free user is taken. */
const MAX_DRAWS = 12

/**
 * The follows of the demo with their times. An edge is a number; edges of one user are adjacent, in no
 * particular order. In-degrees and out-degrees follow power laws, with more edges inside a topic than between
 * topics.
 */
export class FollowGraph {
  /** `#firstEdge[u]` to `#firstEdge[u + 1]` are the edges of user `u`. */
  readonly #firstEdge: Uint32Array
  readonly #source: Uint32Array
  readonly #target: Uint32Array
  /** Seconds since the start of the demo. */
  readonly #second: Uint32Array
  /** All edges by hour; `#firstOfHour[h]` is the start of hour `h`. */
  readonly #byHour: Uint32Array
  readonly #firstOfHour: Uint32Array
  /** All edges by target. */
  readonly #byTarget: Uint32Array
  readonly #firstOfTarget: Uint32Array

  private constructor(firstEdge: Uint32Array, target: Uint32Array, second: Uint32Array, hours: number) {
    const users = firstEdge.length - 1
    this.#firstEdge = firstEdge
    this.#target = target
    this.#second = second
    this.#source = new Uint32Array(target.length)
    for (let user = 0; user < users; user += 1)
      this.#source.fill(user, firstEdge[user]!, firstEdge[user + 1]!)
    const byHour = bucket(hours, target.length, (edge) => Math.floor(second[edge]! / HOUR_SECONDS))
    const byTarget = bucket(users, target.length, (edge) => target[edge]!)
    this.#byHour = byHour.members
    this.#firstOfHour = byHour.starts
    this.#byTarget = byTarget.members
    this.#firstOfTarget = byTarget.starts
  }

  static make(options: DemoOptions, traits: Traits, random: Random): FollowGraph {
    const { users, follows } = options
    const degrees = outDegrees(users, follows, random)
    const firstEdge = new Uint32Array(users + 1)
    for (let user = 0; user < users; user += 1) firstEdge[user + 1] = firstEdge[user]! + degrees[user]!
    const target = new Uint32Array(follows)
    const draw = targetSampler(traits, random)
    for (let user = 0; user < users; user += 1) {
      drawTargets(user, target.subarray(firstEdge[user], firstEdge[user + 1]), users, draw)
    }
    const start = demoStart(options)
    const spanSeconds = options.end - start
    const second = new Uint32Array(follows)
    for (let user = 0; user < users; user += 1) {
      for (let edge = firstEdge[user]!; edge < firstEdge[user + 1]!; edge += 1) {
        const possible = Math.max(traits.joinedAt[user]!, traits.joinedAt[target[edge]!]!) - start
        second[edge] = followSecond(possible, spanSeconds, random)
      }
    }
    return new FollowGraph(firstEdge, target, second, Math.ceil(spanSeconds / HOUR_SECONDS))
  }

  source(edge: number): number {
    return this.#source[edge]!
  }

  target(edge: number): number {
    return this.#target[edge]!
  }

  /** Returns the time of an edge in seconds since the start. */
  second(edge: number): number {
    return this.#second[edge]!
  }

  get size(): number {
    return this.#target.length
  }

  /** Returns the edges of an hour since the start. */
  ofHour(hour: number): Uint32Array {
    return this.#byHour.subarray(this.#firstOfHour[hour], this.#firstOfHour[hour + 1])
  }

  /** Returns the first edge of a user, and the end of the range. */
  range(user: number): readonly [number, number] {
    return [this.#firstEdge[user]!, this.#firstEdge[user + 1]!]
  }

  /** Picks a user whom the user follows at any time, or null. */
  anyFollowed(user: number, random: Random): number | null {
    const [first, end] = this.range(user)
    return end > first ? this.#target[first + random.below(end - first)]! : null
  }

  /** Picks a user who follows the user at any time, or null. */
  anyFollower(user: number, random: Random): number | null {
    const first = this.#firstOfTarget[user]!
    const end = this.#firstOfTarget[user + 1]!
    return end > first ? this.#source[this.#byTarget[first + random.below(end - first)]!]! : null
  }
}

/** Draws the number of follows of each user: `follows` in total, and at most 60 % of all users each. */
function outDegrees(users: number, follows: number, random: Random): Uint32Array {
  const most = Math.floor((users - 1) * 0.6)
  const weights = new Float64Array(users).map(() => Math.min(random.pareto(1.3), 60))
  const degrees = apportion(follows, weights)
  let excess = 0
  for (let user = 0; user < users; user += 1) {
    const over = Math.max(0, degrees[user]! - most)
    degrees[user]! -= over
    excess += over
  }
  // Distributes the excess to other users in turn. There is room, because options allow at most 40 % of
  // pairs.
  for (let user = 0; excess > 0; user = (user + 1) % users) {
    if (degrees[user]! >= most) continue
    degrees[user]! += 1
    excess -= 1
  }
  return degrees
}

type Draw = (user: number) => number

function targetSampler({ topics: [first], popularity }: Traits, random: Random): Draw {
  const everybody = new WeightedIndex(popularity)
  const groups = new Map<number, { members: number[]; weights: WeightedIndex }>()
  for (const topic of new Set(first)) {
    const members = [...popularity.keys()].filter((user) => first[user] === topic)
    const weights = new WeightedIndex(Float64Array.from(members, (user) => popularity[user]!))
    groups.set(topic, { members, weights })
  }
  return (user) => {
    const group = groups.get(first[user]!)!
    return random.chance(SAME_TOPIC_SHARE)
      ? group.members[group.weights.draw(random, group.members.length)]!
      : everybody.draw(random, popularity.length)
  }
}

/** Fills `targets` with different users other than the user. */
function drawTargets(user: number, targets: Uint32Array, users: number, draw: Draw): void {
  const taken = new Set([user])
  for (let index = 0; index < targets.length; index += 1) {
    let target = draw(user)
    for (let draws = 1; taken.has(target) && draws < MAX_DRAWS; draws += 1) target = draw(user)
    while (taken.has(target)) target = (target + 1) % users
    taken.add(target)
    targets[index] = target
  }
}

/** @param possible First second at which both users have joined. */
function followSecond(possible: number, spanSeconds: number, random: Random): number {
  const last = spanSeconds - 1
  const settled = Math.min(possible + 240, last)
  const onboarding = settled + Math.floor(random.exponential(ONBOARDING_SECONDS))
  if (random.chance(ONBOARDING_SHARE) && onboarding <= last) return onboarding
  return settled + random.below(last - settled + 1)
}

/** Groups the numbers below `count` by bucket: the numbers in bucket order, and the start of each bucket. */
function bucket(
  buckets: number,
  count: number,
  bucketOf: (member: number) => number,
): { members: Uint32Array; starts: Uint32Array } {
  const starts = new Uint32Array(buckets + 1)
  for (let member = 0; member < count; member += 1) starts[bucketOf(member) + 1]! += 1
  for (let index = 0; index < buckets; index += 1) starts[index + 1]! += starts[index]!
  const next = starts.slice()
  const members = new Uint32Array(count)
  for (let member = 0; member < count; member += 1) members[next[bucketOf(member)]!++] = member
  return { members, starts }
}
