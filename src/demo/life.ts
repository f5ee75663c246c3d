import { changeKey, changeName, dropAddress, dropOldKey, goPro, renewProfile } from './account-changes.js'
import { awakeness, type Calendar, HOUR_SECONDS, makeCalendar } from './calendar.js'
import { cast, deleteCast } from './casting.js'
import type { Draft } from './draft.js'
import { compactFollows, follow, unfollow } from './following.js'
import { join, joiningSeconds } from './joining.js'
import { Random } from './random.js'
import { react } from './reacting.js'
import type { Scheduled } from './schedule.js'
import type { Intent, World } from './world.js'

/** What happens at a second of an hour. The order is that within a second. */
const Deed = { join: 0, follow: 1, cast: 2, react: 3 } as const
const DEEDS = 4

/** Somebody is awake after so many draws, or writes in the night. */
const MAX_DRAWS = 6
const MOST_AWAKE = 1.4

/**
 * Everything that happens in the demo, hour by hour and second by second: what a draft rests on comes before
 * it. Only the present is held: the hour, what people intend to do later, and the casts that they still see.
 */
export function* live(world: World): Generator<Draft> {
  const { plan, options, start } = world
  const calendar = makeCalendar(options, plan, new Random(`plaza demo calendar|${options.seed}`))
  const present: Present = { joined: 0, settled: 0, owedReactions: 0, owedCasts: 0 }
  for (const hour of calendar.casts.keys()) {
    yield* liveHour(world, hour, calendar, present)
    world.reactions.forgetBefore(world.casts.oldest)
  }
  // What was owed at the last hour, and second thoughts of its last minutes.
  yield* catchUp(world, present, start + calendar.casts.length * HOUR_SECONDS - 1)
}

/** How far life has come. */
interface Present {
  /** How many users have begun to join, and how many of these have finished. */
  joined: number
  settled: number
  /** Planned, but nobody was found to do it yet. */
  owedReactions: number
  owedCasts: number
}

function* liveHour(world: World, hour: number, calendar: Calendar, present: Present): Generator<Draft> {
  const { plan, start, schedule } = world
  const hourStart = start + hour * HOUR_SECONDS
  const edges = edgesByTime(world, hour)
  let nextEdge = 0
  for (const moment of momentsOf(world, hour, calendar, present)) {
    const at = hourStart + Math.floor(moment / DEEDS)
    while (schedule.nextAt <= at) yield* carryOut(world, schedule.take()!)
    while (present.settled < present.joined && plan.joinedAt[present.settled]! + joiningSeconds <= at) {
      present.settled += 1
    }
    switch (moment % DEEDS) {
      case Deed.join:
        yield* join(world, present.joined++, at)
        break
      case Deed.follow:
        yield* follow(world, edges[nextEdge++]!, at)
        break
      case Deed.cast:
        present.owedCasts += 1
        yield* castOwed(world, present, at)
        break
      default:
        present.owedReactions += 1
        yield* reactOwed(world, present, at)
    }
  }
}

/** All deeds of an hour in order, as second times `DEEDS` plus deed. */
function momentsOf(world: World, hour: number, calendar: Calendar, present: Present): Uint32Array {
  const { random, plan, start, options } = world
  const moments: number[] = []
  const hourEnd = start + (hour + 1) * HOUR_SECONDS
  for (let user = present.joined; user < options.users && plan.joinedAt[user]! < hourEnd; user += 1) {
    moments.push((plan.joinedAt[user]! - hourEnd + HOUR_SECONDS) * DEEDS + Deed.join)
  }
  for (const edge of plan.follows.ofHour(hour)) {
    moments.push((plan.follows.second(edge) - hour * HOUR_SECONDS) * DEEDS + Deed.follow)
  }
  for (let count = calendar.casts[hour]!; count > 0; count -= 1) {
    moments.push(random.below(HOUR_SECONDS) * DEEDS + Deed.cast)
  }
  for (let count = calendar.reactions[hour]!; count > 0; count -= 1) {
    moments.push(random.below(HOUR_SECONDS) * DEEDS + Deed.react)
  }
  return Uint32Array.from(moments).sort()
}

function edgesByTime({ plan }: World, hour: number): Uint32Array {
  const { follows } = plan
  return follows.ofHour(hour).sort((a, b) => follows.second(a) - follows.second(b) || a - b)
}

/** What nobody could do before is done now, one more at a time, so that an hour is not flooded. */
function* castOwed(world: World, present: Present, at: number): Generator<Draft> {
  for (let most = 2; most > 0 && present.owedCasts > 0 && present.settled > 0; most -= 1) {
    present.owedCasts -= 1
    yield* cast(world, pickCaster(world, present.settled, at), at)
  }
}

function* reactOwed(world: World, present: Present, at: number): Generator<Draft> {
  for (let most = 2; most > 0 && present.owedReactions > 0 && present.settled > 0; most -= 1) {
    let made = false
    for (const draft of react(world, present.settled, at)) {
      made = true
      yield draft
    }
    if (made) present.owedReactions -= 1
  }
}

function* catchUp(world: World, present: Present, at: number): Generator<Draft> {
  while (present.owedCasts > 0 && present.settled > 0) yield* castOwed(world, present, at)
  // Nearly nobody is left who has not reacted to everything in sight: better some missing than no end.
  for (let tries = present.owedReactions * 2; tries > 0 && present.owedReactions > 0; tries -= 1) {
    yield* reactOwed(world, present, at)
  }
  while (world.schedule.nextAt <= at) yield* carryOut(world, world.schedule.take()!)
}

/** Somebody who has settled and is likely awake. */
function pickCaster({ plan, random }: World, settled: number, at: number): number {
  const utcHour = Math.floor(at / HOUR_SECONDS) % 24
  let user = plan.casters.draw(random, settled)
  for (let draws = 1; draws < MAX_DRAWS; draws += 1) {
    if (random.chance(awakeness(plan.place[user]!, utcHour) / MOST_AWAKE)) return user
    user = plan.casters.draw(random, settled)
  }
  return user
}

function carryOut(world: World, { at, what: intent }: Scheduled<Intent>): Generator<Draft> {
  switch (intent.kind) {
    case 'delete a cast':
      return deleteCast(world, at, intent)
    case 'take a reaction back':
      return one(world.message(intent.user, at, intent.reaction))
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
      return goPro(world, intent.user, at)
  }
}

function* one(draft: Draft): Generator<Draft> {
  yield draft
}
