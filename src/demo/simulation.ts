import {
  changeKey,
  changeName,
  dropAddress,
  dropOldKey,
  purchasePro,
  renewProfile,
} from './account-changes.js'
import { activityLevel, type Calendar, HOUR_SECONDS, makeCalendar } from './calendar.js'
import { cast, deleteCast } from './casting.js'
import type { Draft } from './draft.js'
import { compactFollows, follow, unfollow } from './following.js'
import { join, joiningSeconds } from './joining.js'
import { Random } from './random.js'
import { react } from './reacting.js'
import type { Scheduled } from './schedule.js'
import type { Intent, World } from './world.js'

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
export function* simulate(world: World): Generator<Draft> {
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
    if (random.chance(activityLevel(plan.place[user]!, utcHour) / MAX_ACTIVITY_LEVEL)) return user
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
