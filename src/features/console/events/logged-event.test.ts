import { describe, expect, it } from 'vitest'
import { nameTransfer, TestUser, testNow } from '../../../../test/network.js'
import { encodeHubEvent, type HubEventBody } from '../../../hub/log/hub-event.js'
import { hexOf } from '../../../protocol/bytes.js'
import {
  ChannelOwnerChangeCause,
  HubEventType,
  MessageType,
  ReactionType,
} from '../../../protocol/definitions.js'
import { loggedEventJson } from './logged-event.js'

const user = new TestUser(7)
const cast = user.cast('hello', testNow)
const proof = nameTransfer('alice', 9, 100)
const proofMessage = user.message({ type: MessageType.USERNAME_PROOF, usernameProofBody: proof }, testNow)

/** The row of the list for an event in shard 2. */
function rowOf(body: HubEventBody) {
  const event = encodeHubEvent({ shard: 2, id: 16_385, timestamp: testNow, body })
  return loggedEventJson({ shard: 2, id: 16_385, type: body.type, event })
}

const merged = (message: typeof cast): HubEventBody => ({
  type: HubEventType.MERGE_MESSAGE,
  message,
  deletedMessages: [],
})

describe('a row of the list of events', () => {
  it('has place, time, type, user and message', () => {
    expect(rowOf(merged(cast))).toEqual({
      object: 'event',
      id: '2:16385',
      shard: 2,
      at: '2026-11-01T00:00:00.000Z',
      type: 'MERGE_MESSAGE',
      fid: 7,
      message_type: 'CAST_ADD',
      hash: hexOf(cast.hash),
      summary: 'hello',
    })
  })

  it.each<[string, HubEventBody, object]>([
    ['pruned', { type: HubEventType.PRUNE_MESSAGE, message: cast }, { fid: 7, summary: 'hello' }],
    ['revoked', { type: HubEventType.REVOKE_MESSAGE, message: cast }, { fid: 7, hash: hexOf(cast.hash) }],
    [
      'refused',
      { type: HubEventType.MERGE_FAILURE, message: cast, code: 'bad_request', reason: 'no storage' },
      { fid: 7, message_type: 'CAST_ADD', summary: 'bad_request: no storage' },
    ],
    [
      'a name by its message',
      {
        type: HubEventType.MERGE_USERNAME_PROOF,
        usernameProof: proof,
        usernameProofMessage: proofMessage,
      },
      { fid: 7, message_type: 'USERNAME_PROOF', hash: hexOf(proofMessage.hash) },
    ],
  ])('has the message that was %s', (_what, body, expected) => {
    expect(rowOf(body)).toMatchObject(expected)
  })

  it.each<[string, HubEventBody, object]>([
    [
      'a name that was registered',
      { type: HubEventType.MERGE_USERNAME_PROOF, usernameProof: proof },
      { fid: 9, summary: 'alice' },
    ],
    [
      'a name that was given up',
      { type: HubEventType.MERGE_USERNAME_PROOF, deletedUsernameProof: proof },
      { fid: 9, summary: 'alice' },
    ],
    [
      'an event of a chain',
      { type: HubEventType.MERGE_ON_CHAIN_EVENT, onChainEvent: user.registered() },
      { fid: 7, summary: 'EVENT_TYPE_ID_REGISTER' },
    ],
    [
      'the end of a block',
      {
        type: HubEventType.BLOCK_CONFIRMED,
        blockNumber: 12,
        shardIndex: 2,
        timestamp: testNow,
        blockHash: Buffer.alloc(20),
        totalEvents: 3,
        eventCountsByType: {},
      },
      { fid: null, summary: 'block 12, 3 events' },
    ],
    [
      'another owner of a channel',
      {
        type: HubEventType.CHANNEL_OWNER_CHANGE_HINT,
        channelKey: 'garden',
        ownerAddress: Buffer.alloc(20),
        cause: ChannelOwnerChangeCause.TRANSFER,
      },
      { fid: null, summary: 'garden' },
    ],
  ])('has no message: %s', (_what, body, expected) => {
    expect(rowOf(body)).toMatchObject({ message_type: null, hash: null, ...expected })
  })

  it('says what a message is about', () => {
    const to = { type: MessageType.REACTION_ADD }
    const type = ReactionType.LIKE
    const about = (message: typeof cast) => rowOf(merged(message)).summary
    expect(about(user.link(8, testNow))).toBe('follow 8')
    expect(about(user.react(cast, testNow))).toBe(hexOf(cast.hash))
    expect(
      about(user.message({ ...to, reactionBody: { type, targetUrl: 'https://a.example/' } }, testNow)),
    ).toBe('https://a.example/')
    expect(about(user.userData(3, 'a bio', testNow))).toBe('a bio')
    expect(about(user.removeCast(cast.hash, testNow))).toBe('')
    expect(about(user.cast('x'.repeat(121), testNow))).toBe('x'.repeat(120))
    // No half of a character.
    expect(about(user.cast(`${'x'.repeat(119)}🌱`, testNow))).toBe('x'.repeat(119))
  })

  it('that cannot be decoded has its place only', () => {
    const type = HubEventType.MERGE_MESSAGE
    expect(loggedEventJson({ shard: 1, id: 5, type, event: Buffer.from([0xff]) })).toEqual({
      object: 'event',
      id: '1:5',
      shard: 1,
      at: null,
      type: 'MERGE_MESSAGE',
      fid: null,
      message_type: null,
      hash: null,
      summary: 'cannot be decoded',
    })
  })
})
