import { MessageType } from '@farcaster/core'
import { type Refusal, refuse } from '../../platform/errors.js'
import { MessageSet } from '../../protocol/message-kind.js'
import type { Standing } from './standing.js'

const removes: ReadonlySet<MessageType> = new Set([
  MessageType.CAST_REMOVE,
  MessageType.REACTION_REMOVE,
  MessageType.LINK_REMOVE,
  MessageType.VERIFICATION_REMOVE,
])

type Contender = Pick<Standing, 'set' | 'type' | 'ts' | 'hash'>

/**
 * The one rule by which a message takes a slot from another (docs/protocol.md §4.2): larger timestamp, then remove
 * over add, then larger hash; except that a cast stays removed whatever the timestamps say.
 *
 * @returns null when the incoming message wins, else the refusal that its sender gets.
 */
export function compete(incoming: Contender, standing: Contender): Refusal | null {
  const order = compareContenders(incoming, standing)
  if (order > 0) return null
  if (order === 0) return refuse('bad_request.duplicate', 'message has already been merged')
  if (standing.type === MessageType.LINK_COMPACT_STATE) {
    return refuse('bad_request.conflict', 'A newer Compact State message is already merged')
  }
  return refuse(
    'bad_request.conflict',
    `message conflicts with a more recent ${removes.has(standing.type) ? 'remove' : 'add'}`,
  )
}

/** Positive when `a` wins over `b`, zero when they are the same message. */
export function compareContenders(a: Contender, b: Contender): number {
  const side = Number(removes.has(a.type)) - Number(removes.has(b.type))
  if (a.set === MessageSet.casts && side !== 0) return side
  return a.ts - b.ts || side || Buffer.compare(a.hash, b.hash)
}
