import { describe, expect, it } from 'vitest'
import { toProtobuf } from '../../../protocol/codec.js'
import {
  HubEvent,
  HubEventType,
  MessageData,
  OnChainEvent,
  UserNameProof,
} from '../../../protocol/definitions.js'
import type { SignedMessage } from '../../../protocol/message.js'
import { encodeHubEvent, eventId, type HubEventBody } from '../../log/hub-event.js'
import { hubEventJson } from './hub-event.js'

// The sample of the reference documentation: block 9254285, first event (docs/protocol.md §1.3).
const id = eventId(9254285, 0)

function message(body: Partial<MessageData>): SignedMessage {
  const data = MessageData.create({ fid: 3, timestamp: 4, network: 3, ...body })
  return {
    data,
    dataBytes: Buffer.from(MessageData.encode(data).finish()),
    hash: Buffer.alloc(20, 1),
    hashScheme: 1,
    signature: Buffer.from([255]),
    signatureScheme: 1,
    signer: Buffer.from([7]),
  }
}

const link = message({ type: 5, linkBody: { type: 'follow', targetFid: 9 } })
const linkText =
  '{"data":{"type":"MESSAGE_TYPE_LINK_ADD","fid":3,"timestamp":4,"network":"FARCASTER_NETWORK_DEVNET",' +
  '"linkBody":{"type":"follow","displayTimestamp":null,"targetFid":9}},' +
  '"hash":"0x0101010101010101010101010101010101010101","hashScheme":"HASH_SCHEME_BLAKE3","signature":"/w==",' +
  '"signatureScheme":"SIGNATURE_SCHEME_ED25519","signer":"0x07"}'

const proof = UserNameProof.create({
  timestamp: 1700000000,
  name: Buffer.from('alice'),
  owner: Buffer.from([1]),
  signature: Buffer.from([2]),
  fid: 3,
  type: 1,
})
const proofText =
  '{"timestamp":1700000000,"name":"alice","owner":"0x01","signature":"Ag==","fid":3,"type":"USERNAME_TYPE_FNAME"}'

function shown(body: HubEventBody): string {
  const event = encodeHubEvent({ shard: 2, id, timestamp: 5, body })
  return JSON.stringify(hubEventJson({ shard: 2, id, type: body.type, event }))
}

function around(type: string, body: string): string {
  return `{"type":"${type}","id":151622205440,${body}"blockNumber":9254285,"shardIndex":2}`
}

describe('the JSON of a hub event', () => {
  it('has a merged message and those that it replaced', () => {
    const body = { type: HubEventType.MERGE_MESSAGE, message: link } as const
    expect(shown({ ...body, deletedMessages: [] })).toBe(
      around(
        'HUB_EVENT_TYPE_MERGE_MESSAGE',
        `"mergeMessageBody":{"message":${linkText},"deletedMessages":[]},`,
      ),
    )
    expect(shown({ ...body, deletedMessages: [link] })).toBe(
      around(
        'HUB_EVENT_TYPE_MERGE_MESSAGE',
        `"mergeMessageBody":{"message":${linkText},"deletedMessages":[${linkText}]},`,
      ),
    )
  })

  it('leaves out the messages that a link compact state replaced', () => {
    const compact = message({ type: 14, linkCompactStateBody: { type: 'follow', targetFids: [1] } })
    const event = HubEvent.create({
      mergeMessageBody: { message: toProtobuf(compact), deletedMessages: [toProtobuf(link)] },
    })
    const bytes = Buffer.from(HubEvent.encode(event).finish())
    const json = hubEventJson({ shard: 2, id, type: HubEventType.MERGE_MESSAGE, event: bytes })
    expect(json).toMatchObject({ mergeMessageBody: { deletedMessages: [] } })
  })

  it('has pruned and revoked messages', () => {
    expect(shown({ type: HubEventType.PRUNE_MESSAGE, message: link })).toBe(
      around('HUB_EVENT_TYPE_PRUNE_MESSAGE', `"pruneMessageBody":{"message":${linkText}},`),
    )
    expect(shown({ type: HubEventType.REVOKE_MESSAGE, message: link })).toBe(
      around('HUB_EVENT_TYPE_REVOKE_MESSAGE', `"revokeMessageBody":{"message":${linkText}},`),
    )
  })

  it('has the members of a username proof event', () => {
    const type = HubEventType.MERGE_USERNAME_PROOF
    expect(shown({ type, usernameProof: proof, deletedUsernameProof: proof })).toBe(
      around(
        'HUB_EVENT_TYPE_MERGE_USERNAME_PROOF',
        `"mergeUsernameProofBody":{"usernameProof":${proofText},"deletedUsernameProof":${proofText}},`,
      ),
    )
    expect(shown({ type, usernameProofMessage: link, deletedUsernameProofMessage: link })).toBe(
      around(
        'HUB_EVENT_TYPE_MERGE_USERNAME_PROOF',
        `"mergeUsernameProofBody":{"usernameProofMessage":${linkText},"deletedUsernameProofMessage":${linkText}},`,
      ),
    )
    expect(shown({ type })).toBe(
      around('HUB_EVENT_TYPE_MERGE_USERNAME_PROOF', '"mergeUsernameProofBody":{},'),
    )
  })

  it('has onchain events', () => {
    const onChainEvent = OnChainEvent.create({ type: 2, fid: 3, signerMigratedEventBody: { migratedAt: 9 } })
    expect(shown({ type: HubEventType.MERGE_ON_CHAIN_EVENT, onChainEvent })).toBe(
      around(
        'HUB_EVENT_TYPE_MERGE_ON_CHAIN_EVENT',
        '"mergeOnChainEventBody":{"onChainEvent":{"type":"EVENT_TYPE_SIGNER_MIGRATED","chainId":0,' +
          '"blockNumber":0,"blockHash":"0x","blockTimestamp":0,"transactionHash":"0x","logIndex":0,"fid":3,' +
          '"signerMigratedEventBody":{"migratedAt":9},"tier_purchase_event_body":null,"txIndex":0,"version":0}},',
      ),
    )
  })

  it('has registrations of channels, and hints at their owners', () => {
    const ownerAddress = Buffer.from([8])
    const channelRegisterEventBody = {
      channelKey: 'gardens',
      expiry: 77,
      ownerAddress,
      eventType: 1,
      label: Buffer.from([9]),
    }
    const onChainEvent = OnChainEvent.create({ type: 6, channelRegisterEventBody })
    expect(shown({ type: HubEventType.MERGE_ON_CHAIN_EVENT, onChainEvent })).toContain(
      '"type":"EVENT_TYPE_CHANNEL_REGISTER","chainId":0,"blockNumber":0,"blockHash":"0x","blockTimestamp":0,' +
        '"transactionHash":"0x","logIndex":0,"fid":0,"channelRegisterEventBody":{"channelKey":"gardens",' +
        '"expiry":77,"ownerAddress":"0x08","eventType":"CHANNEL_REGISTER_EVENT_TYPE_REGISTER","label":"0x09"}',
    )
    const type = HubEventType.CHANNEL_OWNER_CHANGE_HINT
    expect(shown({ type, channelKey: 'gardens', ownerAddress, cause: 3 })).toBe(
      around(
        'HUB_EVENT_TYPE_CHANNEL_OWNER_CHANGE_HINT',
        '"channelOwnerChangeHintBody":{"channelKey":"gardens","ownerAddress":"0x08",' +
          '"cause":"CHANNEL_OWNER_CHANGE_CAUSE_VERIFICATION_ADD"},',
      ),
    )
    expect(shown({ type, channelKey: '', ownerAddress, cause: 99 as never })).toContain('"cause":"99"')
  })

  it('has the reason of a failed merge', () => {
    expect(
      shown({
        type: HubEventType.MERGE_FAILURE,
        message: link,
        code: 'bad_request.duplicate',
        reason: 'message has already been merged',
      }),
    ).toBe(
      around(
        'HUB_EVENT_TYPE_MERGE_FAILURE',
        `"mergeFailureBody":{"message":${linkText},"code":"bad_request.duplicate",` +
          '"reason":"message has already been merged"},',
      ),
    )
  })

  it('has block confirmations, without the counts by type', () => {
    expect(
      shown({
        type: HubEventType.BLOCK_CONFIRMED,
        blockNumber: 9254285,
        shardIndex: 2,
        timestamp: 159000000,
        blockHash: Buffer.from([10, 11]),
        totalEvents: 4,
        eventCountsByType: { 1: 3, 11: 1 },
      }),
    ).toBe(
      around(
        'HUB_EVENT_TYPE_BLOCK_CONFIRMED',
        '"blockConfirmedBody":{"blockNumber":9254285,"shardIndex":2,"timestamp":159000000,"blockHash":"0x0a0b",' +
          '"totalEvents":4},',
      ),
    )
  })

  it('event that cannot be decoded -> no body', () => {
    const broken = { shard: 2, id, type: HubEventType.MERGE_MESSAGE, event: Buffer.from([255, 255]) }
    expect(JSON.stringify(hubEventJson(broken))).toBe(around('HUB_EVENT_TYPE_MERGE_MESSAGE', ''))
  })
})
