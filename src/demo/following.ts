import { DAY_SECONDS } from '../platform/durations.js'
import { MessageType } from '../protocol/definitions.js'
import type { Draft } from './draft.js'
import { joiningSeconds, reserveStorage } from './joining.js'
import { fidOf } from './plan.js'
import { EdgeState, type World } from './world.js'

const UNFOLLOW_SHARE = 0.03
const REGRET_SHARE = 0.15
const FOLLOW = 'follow'

/** Creates a planned follow. */
export function* follow(world: World, edge: number, at: number): Generator<Draft> {
  const { random, plan } = world
  const user = plan.follows.source(edge)
  const isFirst = world.edges[edge] === EdgeState.none
  const time = linkTime(world, user, at)
  if (isFirst) yield* reserveStorage(world, user, 'links', time)
  world.edges[edge] = EdgeState.follows
  yield link(world, MessageType.LINK_ADD, edge, time)
  if (isFirst && random.chance(UNFOLLOW_SHARE)) {
    world.schedule.add(time + 60 + Math.floor(random.exponential(4 * DAY_SECONDS)), {
      kind: 'unfollow',
      edge,
    })
  }
}

/** Ends a follow, and sometimes schedules it again. */
export function* unfollow(world: World, edge: number, at: number): Generator<Draft> {
  const { random } = world
  const user = world.plan.follows.source(edge)
  const time = linkTime(world, user, at)
  world.edges[edge] = EdgeState.unfollowed
  yield link(world, MessageType.LINK_REMOVE, edge, time)
  if (random.chance(REGRET_SHARE)) {
    world.schedule.add(time + 60 + Math.floor(random.exponential(DAY_SECONDS)), {
      kind: 'follow again',
      edge,
    })
  }
}

/** Sends all follows as one compact state, which removes the stored removals. */
export function* compactFollows(world: World, user: number, at: number): Generator<Draft> {
  const targetFids: number[] = []
  const [first, end] = world.plan.follows.range(user)
  for (let edge = first; edge < end; edge += 1) {
    if (world.edges[edge] === EdgeState.follows) targetFids.push(fidOf(world.plan.follows.target(edge)))
  }
  if (targetFids.length === 0) return
  const time = linkTime(world, user, at)
  yield* reserveStorage(world, user, 'links', time)
  yield world.message(user, time, {
    type: MessageType.LINK_COMPACT_STATE,
    linkCompactStateBody: { type: FOLLOW, targetFids },
  })
}

/**
 * Each link of a user has its own second, because a link in the second of a compact state counts as older.
 */
function linkTime(world: World, user: number, at: number): number {
  const joined = world.plan.joinedAt[user]! + joiningSeconds
  const time = Math.max(at, joined, world.lastLinkAt[user]! + 1)
  world.lastLinkAt[user] = time
  return time
}

function link(
  world: World,
  type: MessageType.LINK_ADD | MessageType.LINK_REMOVE,
  edge: number,
  time: number,
): Draft {
  const { follows } = world.plan
  const targetFid = fidOf(follows.target(edge))
  const linkBody = { type: FOLLOW, displayTimestamp: undefined, targetFid }
  return world.message(follows.source(edge), time, { type, linkBody })
}
