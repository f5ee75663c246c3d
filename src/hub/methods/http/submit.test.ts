import { beforeAll, describe, expect, test } from 'vitest'
import { createTestDatabase } from '../../../../test/database.js'
import { createTestHub } from '../../../../test/hub.js'
import { openHubApi } from '../../../../test/hub-api.js'
import { TestUser, testNow } from '../../../../test/network.js'
import { PlazaError, refuse } from '../../../platform/errors.js'
import { encodeMessage } from '../../../protocol/codec.js'
import { FarcasterNetwork, Message, MessageData, MessageType } from '../../../protocol/definitions.js'
import type { SignedMessage } from '../../../protocol/message.js'
import { verification, verificationRemoval } from '../../merge/testing/in-memory-merges.js'
import { MAX_BULK_MESSAGES } from '../submit.js'

const { db } = await createTestDatabase()
const api = await openHubApi(db)
const alice = new TestUser(1)
const stranger = new TestUser(99)

beforeAll(async () => {
  await api.hub.submitOnChainEvents(alice.onChain({ units: 100 }))
})

/** A SubmitBulkMessagesRequest: each message after its tag and length. */
function bulk(messages: readonly Buffer[]): Buffer {
  return Buffer.concat(messages.flatMap((message) => [Buffer.of(0x0a), varint(message.length), message]))
}

function varint(value: number): Buffer {
  const bytes = []
  let rest = value
  for (; rest > 0x7f; rest = Math.floor(rest / 128)) bytes.push((rest % 128) + 128)
  return Buffer.from([...bytes, rest])
}

function hex(message: SignedMessage): string {
  return `0x${message.hash.toString('hex')}`
}

function forged(message: SignedMessage): SignedMessage {
  return { ...message, signature: Buffer.alloc(64, 1) }
}

describe('submitMessage', () => {
  test('returns the message; the next read has it', async () => {
    const cast = alice.cast('hello', testNow)
    const { status, body } = await api.post('/v1/submitMessage', encodeMessage(cast))
    expect(status).toBe(200)
    expect(body).toMatchObject({ hash: hex(cast), data: { castAddBody: { text: 'hello' } } })
    expect((await api.get(`/v1/castById?fid=1&hash=${hex(cast)}`)).body).toEqual(body)
  })

  test('C.2 message with data only -> its canonical encoding is what was signed', async () => {
    const dataOnly = ({ data, hash, signature, signer }: SignedMessage) =>
      Buffer.from(
        Message.encode({
          data,
          hash,
          signature,
          signer,
          hashScheme: 1,
          signatureScheme: 1,
          dataBytes: undefined,
        }).finish(),
      )
    const reaction = alice.react(stranger.cast('liked', testNow), testNow - 1)
    expect((await api.post('/v1/submitMessage', dataOnly(reaction))).body).toMatchObject({
      hash: hex(reaction),
    })
    // The encoder writes two empty lists into this cast, which the canonical encoding has not.
    const cast = alice.cast('as data', testNow - 1)
    expect((await api.post('/v1/submitMessage', dataOnly(cast))).body.details).toBe('invalid hash')
  })

  test('refusal -> names the rule, with the keys of both generations', async () => {
    const cast = alice.cast('twice', testNow - 2)
    await api.post('/v1/submitMessage', encodeMessage(cast))
    const { status, body } = await api.post('/v1/submitMessage', encodeMessage(cast))
    expect(status).toBe(400)
    expect(body).toMatchObject({
      error: 'Failed to submit message',
      errCode: 'bad_request.duplicate',
      details: 'message has already been merged',
      metadata: { errcode: ['bad_request.duplicate'] },
      error_detail: expect.stringContaining(
        'status: InvalidArgument, message: "bad_request.duplicate/message has already been merged"',
      ),
    })
    const unknown = await api.post('/v1/submitMessage', encodeMessage(stranger.cast('hi', testNow)))
    expect([unknown.status, unknown.body.details]).toEqual([400, 'unknown fid'])
  })

  test.each([
    ['nothing', Buffer.alloc(0)],
    ['text', Buffer.from('hello there')],
    ['a truncated message', encodeMessage(alice.cast('cut', testNow)).subarray(0, 40)],
    ['a forged signature', encodeMessage(forged(alice.cast('forged', testNow)))],
  ])('refuses %s', async (_, bytes) => {
    const { status, body } = await api.post('/v1/submitMessage', bytes)
    expect([status, body.error]).toEqual([400, 'Failed to submit message'])
    expect(body.errCode).toMatch(/^bad_request\./)
  })

  test('content type other than bytes -> refused', async () => {
    const cast = alice.cast('typed', testNow - 3)
    for (const type of ['application/json', 'text/plain', 'application/x-protobuf']) {
      const { status, body } = await api.post('/v1/submitMessage', '{}', { 'content-type': type })
      expect([status, body.errCode]).toEqual([415, 'bad_request.invalid_param'])
    }
    const none = await api.app.inject({ method: 'POST', url: '/v1/submitMessage' })
    expect([none.statusCode, none.json().property]).toEqual([400, 'content-type'])
    const withCharset = { 'content-type': 'application/octet-stream; charset=utf-8' }
    expect((await api.post('/v1/submitMessage', encodeMessage(cast), withCharset)).status).toBe(200)
  })

  test('body too large -> 413 before it is read', async () => {
    const { status, body } = await api.post('/v1/submitMessage', Buffer.alloc(1024 * 1024 + 1))
    expect([status, body.errCode, body.name]).toEqual([413, 'bad_request.too_large', 'HubError'])
  })

  test('hub unavailable -> 503 with Retry-After', async () => {
    const unavailable = async () => {
      throw new PlazaError('unavailable', 'too many messages are waiting to be merged')
    }
    const full = await openHubApi(db, { hub: { ...api.hub, submit: unavailable } })
    const reply = await full.post('/v1/submitMessage', encodeMessage(alice.cast('later', testNow)))
    expect([reply.status, reply.body.errCode, reply.headers['retry-after']]).toEqual([
      503,
      'unavailable',
      '2',
    ])
  })
})

describe('validateMessage', () => {
  test('checks a message without its state, and stores nothing', async () => {
    const cast = stranger.cast('never merged', testNow)
    const valid = await api.post('/v1/validateMessage', encodeMessage(cast))
    expect([valid.status, valid.body.valid, valid.body.message.hash]).toEqual([200, true, hex(cast)])
    const invalid = await api.post('/v1/validateMessage', encodeMessage(forged(cast)))
    expect([invalid.status, invalid.body.valid, invalid.body.message.hash]).toEqual([200, false, hex(cast)])
    expect((await api.get(`/v1/castById?fid=99&hash=${hex(cast)}`)).status).toBe(404)
  })

  test('too many signatures wait to be checked -> 503, which says nothing about the message', async () => {
    const busy = {
      verify: async (messages: readonly SignedMessage[]) => messages.map(() => refuse('unavailable', 'busy')),
      recover: async () => null,
      close: async () => {},
    }
    const full = await openHubApi(db, { hub: await createTestHub(db, { verifyPool: busy }) })
    const reply = await full.post('/v1/validateMessage', encodeMessage(stranger.cast('later', testNow)))
    expect([reply.status, reply.body.errCode, reply.headers['retry-after']]).toEqual([
      503,
      'unavailable',
      '2',
    ])
  })

  test('C.10 message without data -> 400; bytes that are no message -> 400', async () => {
    const empty = await api.post('/v1/validateMessage', Buffer.alloc(0))
    expect([empty.status, empty.body.details]).toEqual([400, 'No message data'])
    const garbage = await api.post('/v1/validateMessage', Buffer.from('hello there'))
    expect([garbage.status, garbage.body.errCode]).toEqual([400, 'bad_request.parse_failure'])
  })
})

describe('submitBulkMessages', () => {
  test('field 0, and messages that are numbers -> no protobuf', async () => {
    const valid = bulk([encodeMessage(alice.cast('behind field 0', testNow - 12))])
    const heads = [Buffer.of(0x02, 0x00), Buffer.of(0x08, 0x01), Buffer.of(0x0d, 0, 0, 0, 0)]
    for (const bytes of heads.flatMap((head) => [head, Buffer.concat([head, valid])])) {
      const { status, body } = await api.post('/v1/submitBulkMessages', bytes)
      expect([status, body.errCode]).toEqual([400, 'bad_request.parse_failure'])
    }
  })

  test('returns an outcome for each message, in order', async () => {
    const [first, second] = [alice.cast('bulk 1', testNow - 10), alice.cast('bulk 2', testNow - 11)]
    const unknown = stranger.cast('unknown', testNow)
    const tampered = Buffer.from(
      Message.encode(Message.create({ hash: Buffer.alloc(20, 5), data: MessageData.create() })).finish(),
    )
    const bodies = [
      encodeMessage(first),
      Buffer.from([0xff]),
      encodeMessage(unknown),
      tampered,
      encodeMessage(second),
    ]
    const { status, body } = await api.post('/v1/submitBulkMessages', bulk(bodies))
    expect(status).toBe(200)
    expect(body.messages).toMatchObject([
      { hash: hex(first), signatureScheme: 'SIGNATURE_SCHEME_ED25519' },
      { hash: '0x', errCode: 'bad_request.parse_failure', message: expect.any(String) },
      { hash: hex(unknown), errCode: 'bad_request.validation_failure', message: 'unknown fid' },
      { hash: `0x${'05'.repeat(20)}`, errCode: 'bad_request.validation_failure' },
      { hash: hex(second) },
    ])
  })

  test('any order -> removals are merged after what they remove', async () => {
    const cast = alice.cast('short-lived', testNow - 20)
    const bodies = [cast, alice.removeCast(cast.hash, testNow - 19)].map(encodeMessage)
    const { body } = await api.post('/v1/submitBulkMessages', bulk(bodies))
    expect(body.messages).toHaveLength(2)
    expect((await api.get(`/v1/castById?fid=1&hash=${hex(cast)}`)).status).toBe(404)
  })

  test('loans, key and channel messages and verifications of V21 -> refused one by one, others merge', async () => {
    const shardZero = 'submit bulk messages not supported for shard 0'
    const cast = alice.cast('beside them', testNow - 12)
    const keyRemoveBody = {
      key: alice.key.publicKey,
      signature: Buffer.alloc(65),
      signatureType: 1,
      deadline: testNow,
      nonce: 1,
    }
    const channelPinBody = { channelId: Buffer.alloc(32), castHash: cast.hash }
    const address = Buffer.alloc(20, 7)
    const messages = [
      alice.lendStorage(2, 1, 2, testNow),
      cast,
      alice.message({ type: MessageType.KEY_REMOVE, keyRemoveBody }, testNow),
      alice.message({ type: MessageType.CHANNEL_PIN, channelPinBody }, testNow),
      verification(alice, address),
      verificationRemoval(alice, address),
    ]
    const { body } = await api.post('/v1/submitBulkMessages', bulk(messages.map(encodeMessage)))
    const refused = { errCode: 'bad_request.validation_failure', message: shardZero }
    expect(body.messages).toMatchObject([
      { ...refused, hash: hex(messages[0]!) },
      { data: { castAddBody: { text: 'beside them' } } },
      refused,
      refused,
      refused,
      refused,
    ])
  })

  test('verifications of a network before V21 -> not refused for their shard', async () => {
    const network = FarcasterNetwork.MAINNET
    const { db: other } = await createTestDatabase()
    const mainnet = await openHubApi(other, {
      hub: await createTestHub(other, { network }),
      config: { network },
    })
    const { data } = verification(alice, Buffer.alloc(20, 7))
    const message = alice.key.sign({ ...data, network })
    const { body } = await mainnet.post('/v1/submitBulkMessages', bulk([encodeMessage(message)]))
    expect(body.messages).toMatchObject([{ message: 'invalid claimSignature' }])
  })

  test('the same message twice -> merges once, the second is a duplicate and no MERGE_FAILURE', async () => {
    const cast = alice.cast('twice in one call', testNow - 13)
    const other = alice.cast('beside it', testNow - 14)
    const reply = await api.post('/v1/submitBulkMessages', bulk([cast, cast, other].map(encodeMessage)))
    expect(reply.body.messages).toMatchObject([
      { hash: hex(cast), data: {} },
      { hash: hex(cast), errCode: 'bad_request.duplicate', message: 'message has already been merged' },
      { hash: hex(other), data: {} },
    ])
    const { events } = (await api.get('/v1/events')).body
    const types = events.map(({ type }: { type: string }) => type)
    expect(types).not.toContain('HUB_EVENT_TYPE_MERGE_FAILURE')
  })

  test('empty and unknown fields -> accepted; malformed or too many -> refused', async () => {
    const reply = await api.post('/v1/submitBulkMessages', Buffer.alloc(0))
    expect([reply.status, reply.text]).toEqual([200, '{"messages":[]}'])
    const unknownField = Buffer.from([0x10, 0x05])
    expect((await api.post('/v1/submitBulkMessages', unknownField)).body).toEqual({ messages: [] })
    for (const bytes of [Buffer.from([0x0a, 0x05, 1]), Buffer.from([0xff, 0xff]), Buffer.from([0])]) {
      const { status, body } = await api.post('/v1/submitBulkMessages', bytes)
      expect([status, body.errCode]).toEqual([400, 'bad_request.parse_failure'])
    }
    const tooMany = bulk(Array.from({ length: MAX_BULK_MESSAGES + 1 }, () => Buffer.alloc(0)))
    expect((await api.post('/v1/submitBulkMessages', tooMany)).status).toBe(413)
    // It is refused where it has too many: what follows is not looked at.
    const broken = Buffer.concat([tooMany, Buffer.of(0)])
    expect((await api.post('/v1/submitBulkMessages', broken)).status).toBe(413)
  })

  test('C.11 frame action -> valid, and refused on submit', async () => {
    const frameActionBody = {
      url: Buffer.from('https://example.com'),
      buttonIndex: 1,
      castId: undefined,
      inputText: Buffer.alloc(0),
      state: Buffer.alloc(0),
      transactionId: Buffer.alloc(0),
      address: Buffer.alloc(0),
    }
    const action = alice.message({ type: MessageType.FRAME_ACTION, frameActionBody }, testNow)
    const { body } = await api.post('/v1/submitBulkMessages', bulk([encodeMessage(action)]))
    expect(body.messages[0]).toMatchObject({ hash: hex(action), message: 'invalid message type' })
    expect((await api.post('/v1/validateMessage', encodeMessage(action))).body.valid).toBe(true)
  })
})
