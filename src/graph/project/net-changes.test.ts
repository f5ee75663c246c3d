import { expect, test } from 'vitest'
import { TestUser, testNow } from '../../../test/network.js'
import { HubEventType } from '../../protocol/definitions.js'
import type { SignedMessage } from '../../protocol/message.js'
import { netChanges } from './net-changes.js'
import { merged, pruned } from './testing/project-messages.js'

const alice = new TestUser(1)
const [one, two, three] = ['one', 'two', 'three'].map((text) => alice.cast(text, testNow))
const remove = alice.removeCast(one!.hash, testNow)

test('a batch nets to what it adds and removes', () => {
  expect(netChanges([])).toEqual({ added: [], removed: [] })
  expect(netChanges(merged(one!, two!).map((body) => ({ body })))).toEqual({ added: [one, two], removed: [] })
  const bodies = [
    ...merged(one!),
    { type: HubEventType.MERGE_MESSAGE, message: remove, deletedMessages: [one!] } as const,
    ...pruned(two!, remove),
    { type: HubEventType.REVOKE_MESSAGE, message: three! } as const,
    ...merged(two!),
  ]
  expect(netChanges(bodies.map((body) => ({ body })))).toEqual({ added: [], removed: [three] })
})

test('added again with another key: a change; with the same key: none', () => {
  const again = new TestUser(1, 'second key').key.sign(one!.data)
  expect(again.hash).toEqual(one!.hash)
  const changes = (...messages: SignedMessage[]) =>
    netChanges([...pruned(one!), ...merged(...messages)].map((body) => ({ body })))
  expect(changes(again)).toEqual({ added: [again], removed: [one] })
  expect(changes(alice.cast('one', testNow))).toEqual({ added: [], removed: [] })
})

test('name transfers and failures change nothing', () => {
  const body = { type: HubEventType.MERGE_FAILURE, message: one!, code: 'x', reason: 'x' } as const
  expect(netChanges([{ body }, { body: { type: HubEventType.MERGE_USERNAME_PROOF } }])).toEqual({
    added: [],
    removed: [],
  })
})
