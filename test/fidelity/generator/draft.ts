import { hashOf } from '../judge/message.js'
import type { Ed25519Key } from './accounts.js'
import type { Cell, User } from './cell.js'
import { type Content, encodeData, type Form, seal } from './seal.js'

/** A message that is about to be signed. */
export interface Draft {
  readonly user: User
  readonly content: Content
  /** Default: the user's own key. */
  readonly key?: Ed25519Key
  readonly form?: Form
}

/** A signed message of a class. */
export interface Produced {
  readonly className: string
  readonly user: User
  readonly bytes: Uint8Array
}

/** The parts that all messages of a cell have in common. */
export function contentOf(cell: Cell, user: User, now: number, type: number, body: Content): Content {
  return { type, fid: BigInt(user.fid), timestamp: timeNear(cell, now), network: cell.network, ...body }
}

/** Mostly now, sometimes old or equal to others. */
function timeNear({ random }: Cell, now: number): number {
  return random.weighted([
    [70, now],
    [10, now - random.below(60)],
    [10, now - random.below(100_000)],
    [10, now + random.below(500)],
  ])
}

/** Encodes and signs a draft, and remembers it. */
export function produce(cell: Cell, className: string, draft: Draft): Produced {
  const { user, content, key = user.key, form = {} } = draft
  const dataBytes = encodeData(content)
  const bytes = seal(dataBytes, key, form)
  cell.remember({ user, content, bytes, hash: form.hash ?? hashOf(form.hashed ?? dataBytes) })
  return { className, user, bytes }
}

/** A user who can do everything. */
export function ableUser({ random, users }: Cell): User {
  return random.weighted([
    [45, users[0]!],
    [25, users[1]!],
    [25, users[2]!],
    [5, users[3]!],
  ])
}

/** Any user, also one without storage or registration. */
export function anyUser(cell: Cell): User {
  const { random, users } = cell
  return random.chance(97) ? ableUser(cell) : random.pick(users.slice(4))
}
