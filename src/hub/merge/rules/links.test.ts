import { describe, expect, test } from 'vitest'
import { TestUser, testNow } from '../../../../test/network.js'
import { HubEventType } from '../../../protocol/definitions.js'
import { mergeMessage } from '../merge-message.js'
import { createBatchState } from '../testing/batch-state-fixture.js'
import { refusalTexts, storedHashes, withStored } from '../testing/in-memory-merges.js'
import { hashesOf } from '../testing/stored-merges.js'

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
