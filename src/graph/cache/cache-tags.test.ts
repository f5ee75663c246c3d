import { expect, test } from 'vitest'
import { TestUser, testNow } from '../../../test/network.js'
import type { HubEventBody } from '../../hub/log/hub-event.js'
import { HubEventType, MessageType } from '../../protocol/definitions.js'
import type { SignedMessage } from '../../protocol/message.js'
import { cacheTag, staleTagsOf } from './cache-tags.js'

const user = new TestUser(1)

function merged(message: SignedMessage, deletedMessages: SignedMessage[] = []): { body: HubEventBody } {
  return { body: { type: HubEventType.MERGE_MESSAGE, message, deletedMessages } }
}

test('a cast and a like that are removed again in the same page of the log are stale: somebody may have read them', () => {
  const parent = user.cast('parent', testNow - 10)
  const reply = user.cast('reply', testNow - 9, { parentCastId: { fid: 1, hash: parent.hash } })
  const like = user.react(parent, testNow - 8)
  const pruned = [reply, like].map((message) => ({
    body: { type: HubEventType.PRUNE_MESSAGE as const, message },
  }))

  const { tags, authors } = staleTagsOf([merged(reply), merged(like), ...pruned])
  const hash = reply.hash.toString('hex')
  expect(new Set(tags)).toEqual(
    new Set([
      cacheTag.cast(hash),
      cacheTag.thread(hash),
      cacheTag.cast(parent.hash.toString('hex')),
      cacheTag.deepReplies,
      cacheTag.viewer(1),
    ]),
  )
  expect(authors).toEqual([1])
})

test('a granted key changes the app of what it has signed: casts of its user are stale', () => {
  const granted = user.message({ type: MessageType.KEY_ADD }, testNow)
  expect(staleTagsOf([merged(granted)]).tags).toContain(cacheTag.dehydratedUser(1))
})
