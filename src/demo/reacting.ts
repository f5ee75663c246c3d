import { HOUR_SECONDS } from '../platform/durations.js'
import { MessageType, type ReactionBody, ReactionType } from '../protocol/definitions.js'
import type { MessageContent } from '../protocol/message.js'
import type { WindowCast } from './cast-window.js'
import { channelUrl } from './composing.js'
import type { Draft } from './draft.js'
import { joiningSeconds, reserveStorage } from './joining.js'
import { topics } from './lexicon.js'
import { fidOf } from './plan.js'
import type { World } from './world.js'

/** Reactions to casts that have reactions. This makes their distribution a power law. */
const HOT_SHARE = 0.5
const FOLLOWER_SHARE = 0.6
const RECAST_SHARE = 0.17
const URL_SHARE = 0.004
const SECOND_THOUGHT_SHARE = 0.015
/** Share of new casts of unpopular users that are skipped. */
const OVERLOOKED_SHARE = 0.75
const POPULAR = 20
const MAX_DRAWS = 24
const READING_SECONDS = 3

/**
 * Creates a reaction of any user. It creates none if all drawn reactions exist already; the caller retries
 * later.
 *
 * @param joined Number of users who have joined.
 */
export function* react(world: World, joined: number, at: number): Generator<Draft> {
  if (world.random.chance(URL_SHARE)) return yield* reactToChannel(world, joined, at)
  for (let draws = 0; draws < MAX_DRAWS; draws += 1) {
    const target = pickTarget(world, at)
    if (target === null) continue
    const user = pickReactor(world, target, joined, at)
    if (user === null) continue
    const type = world.random.chance(RECAST_SHARE) ? ReactionType.RECAST : ReactionType.LIKE
    if (!world.reactions.add(target.index, user, type)) continue
    world.casts.heat(target.index)
    const targetCastId = { fid: fidOf(target.user), hash: target.hash }
    return yield* send(world, user, Math.max(at, target.at + READING_SECONDS), { type, targetCastId })
  }
}

function* reactToChannel(world: World, joined: number, at: number): Generator<Draft> {
  const user = activeReactor(world, joined, at)
  if (user === null) return
  const targetUrl = channelUrl(world.random.pick(topics).id)
  yield* send(world, user, at, { type: ReactionType.LIKE, targetUrl })
}

function* send(
  world: World,
  user: number,
  time: number,
  body: Pick<ReactionBody, 'type'> & Partial<ReactionBody>,
): Generator<Draft> {
  const { random } = world
  const reactionBody = { targetCastId: undefined, targetUrl: undefined, ...body }
  yield* reserveStorage(world, user, 'reactions', time)
  yield world.message(user, time, { type: MessageType.REACTION_ADD, reactionBody })
  if (random.chance(SECOND_THOUGHT_SHARE)) {
    const backAt = time + 5 + Math.floor(random.exponential(6 * HOUR_SECONDS))
    const reaction: MessageContent = { type: MessageType.REACTION_REMOVE, reactionBody }
    world.schedule.add(backAt, { kind: 'take a reaction back', user, reaction })
  }
}

function pickTarget({ random, casts, plan }: World, at: number): WindowCast | null {
  if (random.chance(HOT_SHARE)) return casts.pickHot(random, at)
  const target = casts.pickRecent(random)
  const isPopular = target !== null && plan.popularity[target.user]! >= random.below(POPULAR)
  return isPopular || !random.chance(OVERLOOKED_SHARE) ? target : null
}

/** Picks a follower of the author, or sometimes any user. */
function pickReactor(world: World, target: WindowCast, joined: number, at: number): number | null {
  const { random, plan } = world
  if (!random.chance(FOLLOWER_SHARE)) return activeReactor(world, joined, at)
  const follower = plan.follows.anyFollower(target.user, random)
  return follower !== null && hasJoined(world, follower, at) ? follower : null
}

function activeReactor(world: World, joined: number, at: number): number | null {
  const user = world.plan.reactors.draw(world.random, joined)
  return hasJoined(world, user, at) ? user : null
}

/** Whether a user has a complete profile at a time. */
function hasJoined({ plan }: World, user: number, at: number): boolean {
  return plan.joinedAt[user]! + joiningSeconds <= at
}
