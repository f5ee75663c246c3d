import {
  HubEvent,
  HubEventType,
  Message,
  MessageData,
  OnChainEvent,
  UserNameProof,
  UserNameType,
} from '@farcaster/hub-nodejs'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { TestUser, testNow } from '../../../../test/network.js'
import { encodeMessage } from '../../../protocol/codec.js'
import type { SignedMessage } from '../../../protocol/message.js'
import { encodeHubEvent, type HubEventBody } from '../../log/hub-event.js'
import { toWireEvent, toWireMessage } from './wire-bytes.js'

const user = new TestUser(7)

const messages: fc.Arbitrary<SignedMessage> = fc.oneof(
  fc.string({ unit: 'grapheme', minLength: 1, maxLength: 300 }).map((text) => user.cast(text, testNow)),
  // Lengths that take one, two and three bytes.
  fc.integer({ min: 1, max: 3_000 }).map((size) =>
    user.compactLinks(
      Array.from({ length: size }, (_, index) => index + 1),
      testNow,
    ),
  ),
)

const proof = UserNameProof.create({
  timestamp: 1,
  name: Buffer.from('alice'),
  owner: Buffer.alloc(20, 1),
  signature: Buffer.alloc(65, 2),
  fid: 7,
  type: UserNameType.USERNAME_TYPE_FNAME,
})

const bodies: fc.Arbitrary<HubEventBody> = fc.oneof(
  fc
    .tuple(messages, fc.array(messages, { maxLength: 3 }))
    .map(
      ([message, deletedMessages]) =>
        ({ type: HubEventType.MERGE_MESSAGE, message, deletedMessages }) as const,
    ),
  messages.map((message) => ({ type: HubEventType.PRUNE_MESSAGE, message }) as const),
  messages.map((message) => ({ type: HubEventType.REVOKE_MESSAGE, message }) as const),
  fc.tuple(fc.option(messages), fc.option(messages)).map(
    ([added, deleted]) =>
      ({
        type: HubEventType.MERGE_USERNAME_PROOF,
        usernameProof: proof,
        usernameProofMessage: added ?? undefined,
        deletedUsernameProofMessage: deleted ?? undefined,
      }) as const,
  ),
  messages.map(
    (message) => ({ type: HubEventType.MERGE_FAILURE, message, code: 'conflict', reason: 'no' }) as const,
  ),
  fc.constant({ type: HubEventType.MERGE_ON_CHAIN_EVENT, onChainEvent: OnChainEvent.create() } as const),
)

/** The message that a client should get: the stored one, with its decoded data. */
function withData(message: Message): Message {
  return { ...message, data: MessageData.decode(message.dataBytes!) }
}

function withDataInside(event: HubEvent): HubEvent {
  const { mergeMessageBody, pruneMessageBody, revokeMessageBody, mergeUsernameProofBody, mergeFailure } =
    event
  const inside = (message: Message | undefined) => message && withData(message)
  return {
    ...event,
    mergeMessageBody: mergeMessageBody && {
      message: inside(mergeMessageBody.message),
      deletedMessages: mergeMessageBody.deletedMessages.map(withData),
    },
    pruneMessageBody: pruneMessageBody && { message: inside(pruneMessageBody.message) },
    revokeMessageBody: revokeMessageBody && { message: inside(revokeMessageBody.message) },
    mergeUsernameProofBody: mergeUsernameProofBody && {
      ...mergeUsernameProofBody,
      usernameProofMessage: inside(mergeUsernameProofBody.usernameProofMessage),
      deletedUsernameProofMessage: inside(mergeUsernameProofBody.deletedUsernameProofMessage),
    },
    mergeFailure: mergeFailure && { ...mergeFailure, message: inside(mergeFailure.message) },
  }
}

test('a message is sent as stored, with its data beside its bytes', () => {
  fc.assert(
    fc.property(messages, (message) => {
      const stored = encodeMessage(message)
      expect(Message.decode(toWireMessage(stored))).toEqual(withData(Message.decode(stored)))
    }),
    { numRuns: 50 },
  )
})

test('an event is sent as stored, with data in its messages', () => {
  fc.assert(
    fc.property(bodies, fc.nat(), (body, id) => {
      const stored = encodeHubEvent({ shard: 1, id, timestamp: testNow, body })
      expect(HubEvent.decode(toWireEvent(stored))).toEqual(withDataInside(HubEvent.decode(stored)))
    }),
    { numRuns: 50 },
  )
})
