import { describe, expect, test } from 'vitest'
import { TestUser, testNow } from '../../../../test/network.js'
import { HubEventType } from '../../../protocol/definitions.js'
import { applyUpstreamRemoval, mergeMessage } from '../merge-message.js'
import { createBatchState } from '../testing/batch-state-fixture.js'
import { refusalTexts, storedHashes, withStored } from '../testing/in-memory-merges.js'
import { hashesOf } from '../testing/stored-merges.js'
import { compactConflictKey } from './links.js'

const alice = new TestUser(1)
const bob = new TestUser(2)

describe('compact states', () => {
  const compact = alice.compactLinks([6], testNow - 5)
  const tooLate = 'Remove message earlier than the compact state message will be immediately pruned'
  const unlisted = 'Target fid 5 not in the compact state target fids'

  test.each([
    ['a follow that it does not list', unlisted, alice.link(5, testNow - 5)],
    ['a follow that it lists', null, alice.link(6, testNow - 5)],
    ['a newer follow', null, alice.link(5, testNow - 4)],
    ['an unfollow of its second', tooLate, alice.link(6, testNow - 5, { remove: true })],
    ['a newer unfollow', null, alice.link(6, testNow - 4, { remove: true })],
    ['another type of link', null, alice.link(5, testNow - 9, { type: 'block' })],
  ])('decides on %s: %s', (_what, outcome, link) => {
    const before = withStored(createBatchState(), compact)
    expect(refusalTexts(before, link)).toEqual([outcome])
    // A conflict with an older batch is no failure of this one; a conflict within the batch is.
    expect(before.events.filter(({ body }) => body.type === HubEventType.MERGE_FAILURE)).toEqual([])
    const within = createBatchState()
    expect(refusalTexts(within, compact, link)).toEqual([null, outcome])
    const failures = within.events.filter(({ body }) => body.type === HubEventType.MERGE_FAILURE)
    expect(failures).toHaveLength(outcome === null ? 0 : 1)
    // Every order ends in the same state.
    const reversed = createBatchState()
    mergeMessage(link, reversed)
    mergeMessage(compact, reversed)
    expect(storedHashes(reversed)).toEqual(storedHashes(within))
  })

  test('refuse older removes and unlisted adds with different texts', () => {
    const state = withStored(createBatchState(), compact)
    expect(mergeMessage(alice.link(5, testNow - 5), state)?.code).toBe('bad_request.conflict')
    expect(mergeMessage(alice.link(5, testNow - 5, { remove: true }), state)?.code).toBe(
      'bad_request.prunable',
    )
  })

  test('displace older links of their type and user only, removes first', () => {
    const state = createBatchState()
    const gone = [alice.link(4, testNow - 9), alice.link(5, testNow - 8, { remove: true })]
    const kept = [
      alice.link(6, testNow - 9),
      alice.link(7, testNow - 4),
      alice.link(4, testNow - 9, { type: 'block' }),
      alice.compactLinks([9], testNow - 9, 'block'),
      alice.cast('no link', testNow - 9),
    ]
    withStored(state, ...gone, ...kept, bob.link(4, testNow - 9))
    expect(refusalTexts(state, compact)).toEqual([null])
    expect(storedHashes(state)).toEqual(hashesOf([...kept, compact]))
    expect(storedHashes(state, 2)).toHaveLength(1)
    expect(state.events[0]!.body).toMatchObject({ deletedMessages: [gone[1], gone[0]] })
  })
})

describe('what arrives late ends what it would have ended in time', () => {
  const add = alice.link(6, testNow - 9)
  const remove = alice.link(6, testNow - 7, { remove: true })
  const unlisting = alice.compactLinks([5], testNow - 6)
  const listing = alice.compactLinks([5, 6], testNow - 4)
  const pruned = { type: HubEventType.PRUNE_MESSAGE, message: add }
  const removed = 'message conflicts with a more recent remove'

  test('a remove older than a compact state that lists its target prunes the add', () => {
    const state = withStored(createBatchState(), listing, add)
    expect(mergeMessage(remove, state)?.code).toBe('bad_request.prunable')
    expect(state.events.map(({ body }) => body)).toEqual([pruned])
    expect(storedHashes(state)).toEqual(hashesOf([listing]))
    // Repeating it changes nothing, and the add cannot return.
    expect(refusalTexts(state, remove, add)).toEqual([expect.stringContaining('pruned'), removed])
    expect(refusalTexts(state, alice.link(6, testNow - 6))).toEqual([null])
  })

  test('an older compact state prunes adds that it does not list', () => {
    const state = withStored(createBatchState(), listing, add, alice.link(5, testNow - 9))
    expect(mergeMessage(unlisting, state)).toEqual({
      code: 'bad_request.conflict',
      message: 'A newer Compact State message is already merged',
    })
    expect(state.events.map(({ body }) => body)).toEqual([pruned])
    expect(refusalTexts(state, add, alice.link(6, testNow - 6))).toEqual([removed, removed])
    expect(refusalTexts(state, alice.link(6, testNow - 5))).toEqual([null])
  })

  test('a compact state remembers the remove that it displaces, and the compact state before it', () => {
    const state = withStored(createBatchState(), remove)
    expect(refusalTexts(state, listing, add)).toEqual([null, removed])
    const other = withStored(createBatchState(), unlisting)
    expect(refusalTexts(other, listing, add)).toEqual([null, removed])
  })

  test('a target that is no longer listed needs no memory', () => {
    const state = withStored(createBatchState(), remove)
    refusalTexts(state, listing, alice.compactLinks([5], testNow - 3))
    expect(state.linkCutoffs.changes()).toEqual([])
  })

  test('a compact state that the upstream removed leaves no memory', () => {
    const state = withStored(createBatchState(), listing, add)
    mergeMessage(remove, state)
    expect(applyUpstreamRemoval(listing, state)).toBeNull()
    expect([...state.linkCutoffs.all(compactConflictKey(listing)!)]).toEqual([])
    expect(refusalTexts(state, add)).toEqual([null])
  })

  test('of two compact states of one second the larger hash is stored, in both orders', () => {
    const pair = [alice.compactLinks([5], testNow - 4), alice.compactLinks([6], testNow - 4)]
    const [smaller, larger] = pair.sort((a, b) => Buffer.compare(a.hash, b.hash))
    for (const order of [
      [smaller!, larger!],
      [larger!, smaller!],
    ]) {
      const state = createBatchState()
      refusalTexts(state, ...order)
      expect(storedHashes(state)).toEqual(hashesOf([larger!]))
      // Neither target is listed by both.
      expect(refusalTexts(state, alice.link(5, testNow - 5), alice.link(6, testNow - 5))).not.toContain(null)
    }
  })
})
