import { HOUR_SECONDS } from '../platform/durations.js'
import { cast, deleteCast } from './casting.js'
import { type DemoItem, type Draft, finishDraft } from './draft.js'
import { compactFollows, follow, unfollow } from './following.js'
import {
  changeKey,
  changeName,
  dropAddress,
  dropOldKey,
  join,
  joiningSeconds,
  purchasePro,
  renewProfile,
} from './joining.js'
import { cities } from './lexicon.js'
import { type DemoOptions, demoDays, demoStart } from './options.js'
import type { Plan } from './plan.js'
import { apportion, Random } from './random.js'
import { react } from './reacting.js'
import type { Scheduled } from './schedule.js'
import { type Intent, World } from './world.js'

/** Kinds of actions, in their order within a second. */
const Action = { join: 0, follow: 1, cast: 2, react: 3 } as const
const ACTION_KINDS = 4

/** After this many draws of inactive users, the last one casts at night. */
const MAX_DRAWS = 6
const MAX_ACTIVITY_LEVEL = 1.4

/**
 * Simulates the demo hour by hour and second by second. A draft comes after those that it depends on. Memory
 * holds only the current hour, scheduled intents and recent casts.
 */
function* simulate(world: World): Generator<Draft> {
  const { plan, options, start } = world
  const calendar = makeCalendar(options, plan, new Random(`plaza demo calendar|${options.seed}`))
  const state: SimulationState = { joined: 0, settled: 0, pendingReactions: 0, pendingCasts: 0 }
  for (const hour of calendar.casts.keys()) {
    yield* simulateHour(world, hour, calendar, state)
    world.reactions.deleteBefore(world.casts.oldest)
  }
  // Completes pending actions of the last hour, and intents of its last minutes.
  yield* catchUp(world, state, start + calendar.casts.length * HOUR_SECONDS - 1)
}

/** The progress of the simulation. */
interface SimulationState {
  /** Number of users who have started to join, and of those who have finished. */
  joined: number
  settled: number
  /** Planned actions for which no user was found yet. */
  pendingReactions: number
  pendingCasts: number
}

function* simulateHour(
  world: World,
  hour: number,
  calendar: Calendar,
  state: SimulationState,
): Generator<Draft> {
  const { plan, start, schedule } = world
  const hourStart = start + hour * HOUR_SECONDS
  const edges = edgesByTime(world, hour)
  let nextEdge = 0
  for (const moment of momentsOf(world, hour, calendar, state)) {
    const at = hourStart + Math.floor(moment / ACTION_KINDS)
    while (schedule.nextAt <= at) yield* performIntent(world, schedule.take()!)
    while (state.settled < state.joined && plan.joinedAt[state.settled]! + joiningSeconds <= at) {
      state.settled += 1
    }
    switch (moment % ACTION_KINDS) {
      case Action.join:
        yield* join(world, state.joined++, at)
        break
      case Action.follow:
        yield* follow(world, edges[nextEdge++]!, at)
        break
      case Action.cast:
        state.pendingCasts += 1
        yield* castPending(world, state, at)
        break
      default:
        state.pendingReactions += 1
        yield* reactPending(world, state, at)
    }
  }
}

/** Returns all actions of an hour in order, encoded as second times `ACTION_KINDS` plus action. */
function momentsOf(world: World, hour: number, calendar: Calendar, state: SimulationState): Uint32Array {
  const { random, plan, start, options } = world
  const moments: number[] = []
  const hourEnd = start + (hour + 1) * HOUR_SECONDS
  for (let user = state.joined; user < options.users && plan.joinedAt[user]! < hourEnd; user += 1) {
    moments.push((plan.joinedAt[user]! - hourEnd + HOUR_SECONDS) * ACTION_KINDS + Action.join)
  }
  for (const edge of plan.follows.ofHour(hour)) {
    moments.push((plan.follows.second(edge) - hour * HOUR_SECONDS) * ACTION_KINDS + Action.follow)
  }
  for (let count = calendar.casts[hour]!; count > 0; count -= 1) {
    moments.push(random.below(HOUR_SECONDS) * ACTION_KINDS + Action.cast)
  }
  for (let count = calendar.reactions[hour]!; count > 0; count -= 1) {
    moments.push(random.below(HOUR_SECONDS) * ACTION_KINDS + Action.react)
  }
  return Uint32Array.from(moments).sort()
}

function edgesByTime({ plan }: World, hour: number): Uint32Array {
  const { follows } = plan
  return follows.ofHour(hour).sort((a, b) => follows.second(a) - follows.second(b) || a - b)
}

/** Performs pending casts, one additional at a time, to avoid bursts. */
function* castPending(world: World, state: SimulationState, at: number): Generator<Draft> {
  for (
    let remainingTries = 2;
    remainingTries > 0 && state.pendingCasts > 0 && state.settled > 0;
    remainingTries -= 1
  ) {
    state.pendingCasts -= 1
    yield* cast(world, pickCaster(world, state.settled, at), at)
  }
}

function* reactPending(world: World, state: SimulationState, at: number): Generator<Draft> {
  for (
    let remainingTries = 2;
    remainingTries > 0 && state.pendingReactions > 0 && state.settled > 0;
    remainingTries -= 1
  ) {
    let made = false
    for (const draft of react(world, state.settled, at)) {
      made = true
      yield draft
    }
    if (made) state.pendingReactions -= 1
  }
}

function* catchUp(world: World, state: SimulationState, at: number): Generator<Draft> {
  while (state.pendingCasts > 0 && state.settled > 0) yield* castPending(world, state, at)
  // Nearly all possible reactions exist; accept some missing ones.
  for (let tries = state.pendingReactions * 2; tries > 0 && state.pendingReactions > 0; tries -= 1) {
    yield* reactPending(world, state, at)
  }
  while (world.schedule.nextAt <= at) yield* performIntent(world, world.schedule.take()!)
}

/** Picks a user with a complete profile who is probably awake. */
function pickCaster({ plan, random }: World, settled: number, at: number): number {
  const utcHour = Math.floor(at / HOUR_SECONDS) % 24
  let user = plan.casters.draw(random, settled)
  for (let draws = 1; draws < MAX_DRAWS; draws += 1) {
    if (random.chance(activityLevel(plan.city[user]!, utcHour) / MAX_ACTIVITY_LEVEL)) return user
    user = plan.casters.draw(random, settled)
  }
  return user
}

function performIntent(world: World, { at, what: intent }: Scheduled<Intent>): Generator<Draft> {
  switch (intent.kind) {
    case 'delete a cast':
      return deleteCast(world, at, intent)
    case 'take a reaction back':
      return single(world.message(intent.user, at, intent.reaction))
    case 'unfollow':
      return unfollow(world, intent.edge, at)
    case 'follow again':
      return follow(world, intent.edge, at)
    case 'compact follows':
      return compactFollows(world, intent.user, at)
    case 'renew the profile':
      return renewProfile(world, intent.user, at)
    case 'change the key':
      return changeKey(world, intent.user, at)
    case 'drop the old key':
      return dropOldKey(world, intent.user, at)
    case 'drop the address':
      return dropAddress(world, intent.user, at)
    case 'change the name':
      return changeName(world, intent.user, at)
    case 'go pro':
      return purchasePro(world, intent.user, at)
  }
}

function* single(draft: Draft): Generator<Draft> {
  yield draft
}

/**
 * Generates the items of a demo network in an order that a hub accepts: users join before they cast, and
 * casts precede their replies. Every item is signed. The same options give the same bytes. Memory grows with
 * users and follows, not with casts and reactions.
 *
 * @param skip Number of items to skip, which takes a fraction of the time of creating them.
 */
export async function* generateDemo(options: DemoOptions, skip = 0): AsyncGenerator<DemoItem> {
  const world = new World(options)
  let passed = 0
  for (const draft of simulate(world)) {
    if (passed < skip) passed += 1
    else yield await finishDraft(draft, world.keys)
  }
}

/** Activity at each hour of local time. */
const dayCurve = [
  0.3, 0.15, 0.08, 0.06, 0.07, 0.15, 0.4, 0.75, 1, 1, 0.95, 0.95, 1.05, 1, 0.9, 0.9, 0.95, 1.05, 1.15, 1.3,
  1.4, 1.3, 0.95, 0.55,
]
/** Activity by weekday, from Sunday. Unix time began on a Thursday. */
const weekCurve = [0.9, 1.02, 1.05, 1.05, 1.03, 1, 0.88]
const EPOCH_WEEKDAY = 4
const HOURS_PER_DAY = 24
/** Random variation between equal hours of different days. */
const NOISE = 0.25
/** Exponent below 1: twice as many users are less than twice as active. */
const CROWD = 0.85

/** Number of casts and reactions in each hour of the demo. Their sums are exactly the requested numbers. */
interface Calendar {
  readonly casts: Uint32Array
  readonly reactions: Uint32Array
}

/** Distributes casts and reactions over the hours, by joined users, time zones, weekday and chance. */
function makeCalendar(options: DemoOptions, plan: Plan, random: Random): Calendar {
  const weights = new Float64Array(demoDays * HOURS_PER_DAY)
  const activity = activityByUtcHour(plan)
  const start = demoStart(options)
  let joined = 0
  for (const hour of weights.keys()) {
    const time = start + hour * HOUR_SECONDS
    // Users who join during the hour count for it.
    while (joined < options.users && plan.joinedAt[joined]! < time + HOUR_SECONDS) joined += 1
    const weekday = (Math.floor(time / (HOURS_PER_DAY * HOUR_SECONDS)) + EPOCH_WEEKDAY) % 7
    const noise = 1 - NOISE + 2 * NOISE * random.fraction()
    const utcHour = Math.floor(time / HOUR_SECONDS) % HOURS_PER_DAY
    weights[hour] = crowd(joined) * activity[utcHour]! * weekCurve[weekday]! * noise
  }
  // Nobody has joined or cast before the first hour ends.
  weights[0] = 0
  return { casts: apportion(options.casts, weights), reactions: apportion(options.reactions, weights) }
}

function crowd(joined: number): number {
  return joined === 0 ? 0 : Math.exp(Math.log(joined) * CROWD)
}

function activityByUtcHour({ city }: Plan): Float64Array {
  const activity = new Float64Array(HOURS_PER_DAY)
  for (const index of city) {
    for (const hour of activity.keys()) activity[hour]! += activityLevel(index, hour)
  }
  return activity.map((sum) => sum / city.length)
}

/** Activity of users of a city at an hour of UTC; at most 1.4. */
function activityLevel(city: number, utcHour: number): number {
  const local = (utcHour + cities[city]!.utcOffsetHours + HOURS_PER_DAY) % HOURS_PER_DAY
  return dayCurve[local]!
}
