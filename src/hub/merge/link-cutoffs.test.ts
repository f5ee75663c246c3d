import { expect, test } from 'vitest'
import { TestUser, testNow } from '../../../test/network.js'
import type { SignedMessage } from '../../protocol/message.js'
import { mergeMessage } from './merge-message.js'
import { compactConflictKey } from './rules/links.js'
import type { BatchState } from './state.js'
import { createBatchState } from './testing/batch-state-fixture.js'
import { withStored } from './testing/in-memory-merges.js'

const alice = new TestUser(1)
/** The most targets that fit into one message. */
const targets = Array.from({ length: 32_000 }, (_, index) => index + 1)
const largest = alice.compactLinks(targets, testNow - 1)
const cutoffsOf = (state: BatchState) => state.linkCutoffs.all(compactConflictKey(largest)!)

/** Merges messages below the largest compact state. Each is refused, and so costs its sender no storage. */
function mergeBelow(messages: readonly SignedMessage[]): BatchState {
  const state = withStored(createBatchState(), largest)
  for (const message of messages) expect(mergeMessage(message, state)).not.toBeNull()
  return state
}

test('a bulk of removes costs each remove, and not the whole compact state', () => {
  const removes = targets.slice(0, 4_000).map((fid) => alice.link(fid, testNow - 5, { remove: true }))
  const cutoffs = cutoffsOf(mergeBelow(removes))
  expect(cutoffs.size).toBe(4_000)
  expect(new Set(cutoffs.values())).toEqual(new Set([testNow - 5]))
})

test('a bulk of older compact states costs each of them, and not the stored one', () => {
  const count = 4_000
  const older = Array.from({ length: count }, (_, n) => alice.compactLinks([n + 1], testNow - count - 1 + n))
  const cutoffs = cutoffsOf(mergeBelow(older))
  expect(cutoffs.size).toBe(targets.length)
  // The newest of them lists only the target with this number.
  expect(cutoffs.get(count)).toBe(testNow - 3)
  expect(cutoffs.get(count - 1)).toBe(testNow - 2)
})
