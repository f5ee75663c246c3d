import { expect, test } from 'vitest'
import { MessageType as Type } from '../../protocol/definitions.js'
import { MessageSet } from '../../protocol/message-kind.js'
import { compareCandidates, resolveConflict } from './resolve-conflict.js'

const { casts, reactions, links, verifications } = MessageSet

type Entry = [set: MessageSet, type: Type, ts: number, hash?: number]

function contender(...[set, type, ts, hash = 5]: Entry) {
  return { set, type, ts, hash: Buffer.alloc(20, hash) }
}

/** The outcome as a word; empty for the winner. */
function verdict(...[incoming, stored]: Parameters<typeof resolveConflict>) {
  return resolveConflict(incoming, stored)?.message ?? 'wins'
}

const older = (what: string) => `message conflicts with a more recent ${what}`

test.each<[string, string, Entry, Entry]>([
  ['a later add', 'wins', [reactions, Type.REACTION_ADD, 11], [reactions, Type.REACTION_ADD, 10]],
  ['an earlier add', older('add'), [reactions, Type.REACTION_ADD, 9], [reactions, Type.REACTION_ADD, 10]],
  ['a later add after a remove', 'wins', [links, Type.LINK_ADD, 11], [links, Type.LINK_REMOVE, 10]],
  ['an earlier remove', older('add'), [links, Type.LINK_REMOVE, 9], [links, Type.LINK_ADD, 10]],
  [
    'a remove of the same second',
    'wins',
    [reactions, Type.REACTION_REMOVE, 10, 1],
    [reactions, Type.REACTION_ADD, 10, 9],
  ],
  [
    'an add of the same second',
    older('remove'),
    [reactions, Type.REACTION_ADD, 10, 9],
    [reactions, Type.REACTION_REMOVE, 10, 1],
  ],
  ['an unfollow of the same second', 'wins', [links, Type.LINK_REMOVE, 10, 1], [links, Type.LINK_ADD, 10, 9]],
  [
    'an add against a later unfollow',
    older('remove'),
    [links, Type.LINK_ADD, 9],
    [links, Type.LINK_REMOVE, 10],
  ],
  [
    'an address given up in the same second',
    'wins',
    [verifications, Type.VERIFICATION_REMOVE, 10, 1],
    [verifications, Type.VERIFICATION_ADD_ETH_ADDRESS, 10, 9],
  ],
  [
    'a larger hash of the same second',
    'wins',
    [reactions, Type.REACTION_ADD, 10, 6],
    [reactions, Type.REACTION_ADD, 10],
  ],
  [
    'a smaller hash of the same second',
    older('add'),
    [reactions, Type.REACTION_ADD, 10, 4],
    [reactions, Type.REACTION_ADD, 10],
  ],
  ['a remove of a cast, however old', 'wins', [casts, Type.CAST_REMOVE, 1], [casts, Type.CAST_ADD, 10]],
  ['a removed cast, however new', older('remove'), [casts, Type.CAST_ADD, 10], [casts, Type.CAST_REMOVE, 1]],
  [
    'of two removes of a cast the later',
    'wins',
    [casts, Type.CAST_REMOVE, 11],
    [casts, Type.CAST_REMOVE, 10],
  ],
  [
    'of two removes of a cast the earlier',
    older('remove'),
    [casts, Type.CAST_REMOVE, 9],
    [casts, Type.CAST_REMOVE, 10],
  ],
  [
    'the same message',
    'message has already been merged',
    [links, Type.LINK_ADD, 10],
    [links, Type.LINK_ADD, 10],
  ],
  [
    'an earlier compact state',
    'A newer Compact State message is already merged',
    [links, Type.LINK_COMPACT_STATE, 9],
    [links, Type.LINK_COMPACT_STATE, 10],
  ],
])('%s: %s', (_what, outcome, incoming, stored) => {
  const [a, b] = [contender(...incoming), contender(...stored)] as const
  expect(verdict(a, b)).toBe(outcome)
  expect(Math.sign(compareCandidates(b, a))).toBe(-Math.sign(compareCandidates(a, b)) + 0)
})

test('only the same message is a duplicate, every other loss is a conflict', () => {
  const stored = contender(reactions, Type.REACTION_ADD, 10)
  expect(resolveConflict(stored, stored)?.code).toBe('bad_request.duplicate')
  expect(resolveConflict(contender(reactions, Type.REACTION_ADD, 9), stored)?.code).toBe(
    'bad_request.conflict',
  )
  const compact = contender(links, Type.LINK_COMPACT_STATE, 10)
  expect(resolveConflict(contender(links, Type.LINK_COMPACT_STATE, 9), compact)?.code).toBe(
    'bad_request.conflict',
  )
})
