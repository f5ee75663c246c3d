import { MessageData, MessageType } from '@farcaster/core'
import { asBuffer } from '../protocol/bytes.js'
import { messageHash } from '../protocol/hash.js'
import type { RecentCast } from './cast-window.js'
import { type Composition, composePost, composeQuote, composeReply } from './composing.js'
import { type Draft, messageData } from './draft.js'
import { rentStorage } from './joining.js'
import type { World } from './world.js'

const REPLY_SHARE = 0.44
const QUOTE_SHARE = 0.04
const DELETION_SHARE = 0.012
/** Replies to those who wrote to the user, to what everybody talks about, and to whatever is new. */
const INBOX_SHARE = 0.5
const HOT_SHARE = 0.3

const HOUR_SECONDS = 3600
/** Nobody casts twice within so many seconds. */
const PAUSE_SECONDS = 7
/** Nobody answers faster than this. */
const READING_SECONDS = 9

/** The user casts: something new, a reply or a quote. `at` is in Unix seconds. */
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
  parent: RecentCast | null,
): Generator<Draft> {
  const { random, casts, options } = world
  const { body, topic, language, mentioned } = composition
  const units = world.storage.take(user, 'casts', time)
  if (units > 0) yield rentStorage(world, user, time, units)
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

/** What the user replies to: a cast of somebody else that is still there. */
function pickParent(world: World, user: number, at: number): RecentCast | null {
  const { random, casts } = world
  const inboxCast = random.chance(INBOX_SHARE) ? world.takeFromInbox(user) : null
  const fromInbox = inboxCast === null ? null : casts.get(inboxCast)
  if (fromInbox) return fromInbox
  const parent = random.chance(HOT_SHARE) ? casts.pickHot(random, at) : casts.pickRecent(random)
  // People do continue their own threads, but not often.
  return parent && (parent.user !== user || random.chance(0.2)) ? parent : null
}

/** The user takes a cast back. */
export function* deleteCast(
  world: World,
  at: number,
  { user, hash, index }: { readonly user: number; readonly hash: Buffer; readonly index: number },
): Generator<Draft> {
  world.casts.delete(index)
  yield world.message(user, at, { type: MessageType.CAST_REMOVE, castRemoveBody: { targetHash: hash } })
}
