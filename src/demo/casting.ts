import { HOUR_SECONDS } from '../platform/durations.js'
import { asBuffer } from '../protocol/bytes.js'
import { MessageData, MessageType } from '../protocol/definitions.js'
import { messageHash } from '../protocol/hash.js'
import type { WindowCast } from './cast-window.js'
import { type Composition, composePost, composeQuote, composeReply } from './composing.js'
import { type Draft, messageData } from './draft.js'
import { reserveStorage } from './joining.js'
import type { World } from './world.js'

const REPLY_SHARE = 0.44
const QUOTE_SHARE = 0.04
const DELETION_SHARE = 0.012
/**
 * Shares of replies to casts that address the user, and to casts with attention. The rest goes to recent
 * casts.
 */
const INBOX_SHARE = 0.5
const HOT_SHARE = 0.3

/** Minimum time between two casts of a user. */
const PAUSE_SECONDS = 7
/** Minimum time between a cast and a reply. */
const READING_SECONDS = 9

/** Creates a cast of the user: a new thread, a reply or a quote. `at` is in Unix seconds. */
export function* cast(world: World, user: number, at: number): Generator<Draft> {
  const { random } = world
  const person = world.person(user)
  const action = random.fraction()
  const parent = action < REPLY_SHARE ? pickParent(world, user, at) : null
  const isQuote = action >= REPLY_SHARE && action < REPLY_SHARE + QUOTE_SHARE
  const quoted = isQuote ? world.casts.pickHot(random, at) : null
  const about = parent ?? quoted
  const time = Math.max(at, world.lastCastAt[user]! + PAUSE_SECONDS, (about?.at ?? 0) + READING_SECONDS)
  const composition = parent
    ? composeReply(world, person, parent)
    : quoted
      ? composeQuote(world, person, quoted)
      : composePost(world, person)
  yield* publish(world, user, time, composition, parent)
}

function* publish(
  world: World,
  user: number,
  time: number,
  composition: Composition,
  parent: WindowCast | null,
): Generator<Draft> {
  const { random, casts, options } = world
  const { body, topic, language, mentioned } = composition
  yield* reserveStorage(world, user, 'casts', time)
  const data = messageData({ type: MessageType.CAST_ADD, castAddBody: body }, user, time, options.network)
  const dataBytes = asBuffer(MessageData.encode(data).finish())
  const hash = messageHash(dataBytes)
  const index = casts.add({ user, at: time, hash, topic, language })
  world.lastCastAt[user] = time
  for (const other of mentioned) world.notify(other, index)
  if (parent) {
    if (parent.user !== user) world.notify(parent.user, index)
    casts.heat(parent.index)
  }
  yield { kind: 'message', user, signer: world.signerOf(user), data, encoded: { dataBytes, hash } }
  if (random.chance(DELETION_SHARE)) {
    const deleteAt = time + 20 + Math.floor(random.exponential(3 * HOUR_SECONDS))
    world.schedule.add(deleteAt, { kind: 'delete a cast', user, hash, index })
  }
}

/** Picks a cast of another user to reply to, or null. */
function pickParent(world: World, user: number, at: number): WindowCast | null {
  const { random, casts } = world
  const inboxCast = random.chance(INBOX_SHARE) ? world.takeFromInbox(user) : null
  const fromInbox = inboxCast === null ? null : casts.get(inboxCast)
  if (fromInbox) return fromInbox
  const parent = random.chance(HOT_SHARE) ? casts.pickHot(random, at) : casts.pickRecent(random)
  // Users continue their own threads, but rarely.
  return parent && (parent.user !== user || random.chance(0.2)) ? parent : null
}

/** Deletes a cast of the user. */
export function* deleteCast(
  world: World,
  at: number,
  { user, hash, index }: { readonly user: number; readonly hash: Buffer; readonly index: number },
): Generator<Draft> {
  world.casts.delete(index)
  yield world.message(user, at, { type: MessageType.CAST_REMOVE, castRemoveBody: { targetHash: hash } })
}
