import { beforeAll, describe, expect, test } from 'vitest'
import { createTestDatabase } from '../../../../test/database.js'
import { openHubApi } from '../../../../test/hub-api.js'
import { TestUser, testKey, testNow } from '../../../../test/network.js'
import { encodeMessage } from '../../../protocol/codec.js'
import { Message, MessageData, MessageType } from '../../../protocol/definitions.js'
import { messageHash } from '../../../protocol/hash.js'
import { checkType } from '../../merge/check-type.js'

// Verdicts, codes and texts of the reference node, by the class of the difference that there was.

const { db } = await createTestDatabase()
const api = await openHubApi(db)
const alice = new TestUser(1)
const pro = new TestUser(2)
const stranger = new TestUser(99)

beforeAll(async () => {
  await api.hub.submitOnChainEvents([...alice.onChain({ units: 100 }), ...pro.onChain({ units: 100 })])
  await db`update hub.fids set pro_until = 4000000000 where fid = 2`
})

/** A message of alice's over these bytes, with `data` beside them if given. */
function signed(dataBytes: Buffer, data?: MessageData): Buffer {
  const hash = messageHash(dataBytes)
  const { key } = alice
  const message = { data, dataBytes, hash, hashScheme: 1, signature: key.signHash(hash), signatureScheme: 1 }
  return Buffer.from(Message.encode({ ...message, signer: key.publicKey }).finish())
}

async function submit(bytes: Buffer): Promise<string> {
  const { status, body } = await api.post('/v1/submitMessage', bytes)
  return status === 200 ? 'merged' : `${body.errCode}/${body.details}`
}

/** `valid` of the reply, or the text of an error. */
async function validate(bytes: Buffer): Promise<boolean | string> {
  const { status, body } = await api.post('/v1/validateMessage', bytes)
  return status === 200 ? body.valid : body.details
}

const castData = alice.cast('hello', testNow).data
const like = alice.react(alice.cast('liked', testNow), testNow).data.reactionBody!
const bodies = {
  castAddBody: castData.castAddBody!,
  castRemoveBody: { targetHash: Buffer.alloc(20, 9) },
  reactionBody: like,
  linkBody: { type: 'follow', targetFid: 2, displayTimestamp: undefined },
  linkCompactStateBody: { type: 'follow', targetFids: [2] },
  userDataBody: { type: 3, value: 'bio' },
  verificationRemoveBody: { address: Buffer.alloc(20, 9), protocol: 0 },
  lendStorageBody: { toFid: 2, numUnits: 1, unitType: 2 },
}
const head = { fid: 1, timestamp: testNow, network: castData.network }
const validation = 'bad_request.validation_failure'
const parameter = 'bad_request.invalid_param'

function mismatched(type: number, body: keyof typeof bodies | 'none', by = alice.key) {
  const parts = body === 'none' ? {} : { [body]: bodies[body] }
  return by.sign(MessageData.create({ ...head, type: type as MessageType, ...parts }))
}

describe('C.11 a type with another body', () => {
  const { CAST_ADD, CAST_REMOVE, REACTION_ADD, REACTION_REMOVE, LINK_ADD, LINK_COMPACT_STATE } = MessageType
  const { USER_DATA_ADD, VERIFICATION_REMOVE, USERNAME_PROOF, LEND_STORAGE, KEY_ADD, FRAME_ACTION } =
    MessageType
  test.each([
    [CAST_ADD, 'castRemoveBody', `${validation}/Invalid cast body for remove key`],
    [CAST_REMOVE, 'castAddBody', `${validation}/Invalid cast body for remove key`],
    [CAST_ADD, 'linkBody', `${validation}/Invalid cast body for remove key`],
    [REACTION_ADD, 'castAddBody', `${validation}/Invalid reaction body`],
    [REACTION_REMOVE, 'linkBody', `${validation}/Invalid reaction body`],
    [LINK_ADD, 'linkCompactStateBody', `${parameter}/link body not specified`],
    [LINK_ADD, 'castAddBody', `${parameter}/link_compact_body not specified`],
    [LINK_COMPACT_STATE, 'castAddBody', `${parameter}/link_compact_body not specified`],
    [
      LINK_COMPACT_STATE,
      'linkBody',
      `${validation}/Invalid compact state message: No link compact state body`,
    ],
    [USER_DATA_ADD, 'linkBody', `${parameter}/UserDataAdd message missing body`],
    [VERIFICATION_REMOVE, 'linkBody', `${validation}/invalid message type`],
    [USERNAME_PROOF, 'linkBody', `${validation}/Message data body is missing`],
    [LEND_STORAGE, 'linkBody', `${validation}/invalid message type`],
    [FRAME_ACTION, 'castAddBody', `${validation}/invalid message type`],
    [99, 'castAddBody', `${validation}/invalid message type`],
    [0, 'castAddBody', `${validation}/invalid message type`],
    [18, 'castAddBody', `${validation}/invalid message type`],
    [CAST_ADD, 'none', `${validation}/invalid message type`],
    [KEY_ADD, 'none', `${validation}/message has no data`],
    [20, 'none', `${validation}/message has no data`],
    [VERIFICATION_REMOVE, 'none', `${validation}/message has no data`],
  ] as const)('%i with %s: %s', async (type, body, expected) => {
    const message = mismatched(type, body)
    expect(await submit(encodeMessage(message))).toBe(expected)
    const isShown = body !== 'none' && type !== 99 && type !== 0
    expect(await api.hub.validate([message])).toEqual([null])
    if (isShown) expect(await validate(encodeMessage(message))).toBe(true)
    else expect(await validate(encodeMessage(message))).toMatch(/^No message data$|^invalid message type$/)
  })

  test('without a body, on a network without engine V21: only shard 0 has another text', () => {
    const refusalOf = (type: number) => checkType(mismatched(type, 'none'), false)?.message
    expect(refusalOf(20)).toBe('invalid message type')
    expect(refusalOf(VERIFICATION_REMOVE)).toBe('invalid message type')
    expect(refusalOf(LEND_STORAGE)).toBe('message has no data')
  })

  test('is refused for its fid and its signer first', async () => {
    const unsigned = mismatched(CAST_ADD, 'linkBody', testKey('nobody'))
    expect(await submit(encodeMessage(unsigned))).toBe(`${validation}/invalid signer`)
    const unknown = stranger.key.sign({ ...mismatched(CAST_ADD, 'linkBody').data, fid: 99 })
    expect(await submit(encodeMessage(unknown))).toBe(`${validation}/unknown fid`)
  })
})

describe('C.1 the last body on the wire', () => {
  const castBytes = alice.cast('last body', testNow - 1).dataBytes
  /** CHANNEL_PIN: channels are active on a devnet. */
  const channelBody = Buffer.concat([Buffer.from('ba01220a20', 'hex'), Buffer.alloc(32, 7)])
  const linkBody = Buffer.from('720a0a06666f6c6c6f771802', 'hex')

  test('is a channel body: valid, and refused by the store of casts', async () => {
    const bytes = signed(Buffer.concat([castBytes, channelBody]))
    expect([await submit(bytes), await validate(bytes)]).toEqual([
      `${validation}/Invalid cast body for remove key`,
      true,
    ])
  })

  test('is the body that is merged, stored and shown', async () => {
    const headBytes = Buffer.from(MessageData.encode(MessageData.create({ ...head, type: 1 })).finish())
    const body = castBytes.subarray(headBytes.length)
    const bytes = signed(Buffer.concat([headBytes, linkBody, channelBody, body]))
    expect(await submit(bytes)).toBe('merged')
    const hash = Buffer.from(Message.decode(bytes).hash).toString('hex')
    const { data } = (await api.get(`/v1/castById?fid=1&hash=0x${hash}`)).body
    expect(data.castAddBody.text).toBe('last body')
    expect(data.linkBody).toBeUndefined()
    const { events } = (await api.get('/v1/events?reverse=true&pageSize=2')).body
    const merged = events.find((event: { type: string }) => event.type === 'HUB_EVENT_TYPE_MERGE_MESSAGE')
    expect(merged.mergeMessageBody.message.data).toEqual(data)
  })
})

test('data that is too long for any type is not valid, whatever its body', async () => {
  const targetFids = Array<number>(40_000).fill(400_000)
  const content = {
    ...head,
    type: MessageType.LINK_COMPACT_STATE,
    linkCompactStateBody: { type: 'x', targetFids },
  }
  const dataBytes = Buffer.from(MessageData.encode(MessageData.create(content)).finish())
  expect(await validate(signed(dataBytes))).toBe(false)
})

describe('C.3 data and data_bytes', () => {
  test('data beside data_bytes does not count', async () => {
    const other = { ...castData, castAddBody: { ...castData.castAddBody!, text: 'not signed' } }
    const { dataBytes } = alice.cast('signed', testNow - 2)
    const { status, body } = await api.post('/v1/submitMessage', signed(dataBytes, other))
    expect([status, body.data.castAddBody.text]).toEqual([200, 'signed'])
  })

  test('data_bytes that are empty or do not decode, and fid 0', async () => {
    const empty = Buffer.from(
      Message.encode({
        ...Message.decode(signed(castBytesOf('x'))),
        data: castData,
        dataBytes: Buffer.alloc(0),
      }).finish(),
    )
    expect([await submit(empty), await validate(empty)]).toEqual([`${validation}/data is missing`, false])
    const { body: shown } = await api.post('/v1/validateMessage', empty)
    expect(shown.message.data).toMatchObject({ type: 'MESSAGE_TYPE_CAST_ADD', fid: 1 })
    const undecodable = signed(Buffer.from([0x0a, 0x05]))
    expect(await submit(undecodable)).toBe(`${parameter}/fid cannot be 0`)
    expect(await validate(undecodable)).toBe('No message data')
    const nobody = alice.key.sign({ ...castData, fid: 0 })
    expect(await submit(encodeMessage(nobody))).toBe(`${parameter}/fid cannot be 0`)
    expect(await validate(encodeMessage(nobody))).toBe(true)
    expect(await api.hub.submit([nobody])).toMatchObject([{ message: 'unknown fid' }])
  })
})

function castBytesOf(text: string): Buffer {
  return alice.cast(text, testNow - 3).dataBytes
}

describe('C.10 validateMessage', () => {
  test('the tier of the sender decides', async () => {
    const long = (user: TestUser) => user.cast('x'.repeat(1500), testNow - 4, { type: 2 })
    expect(await validate(encodeMessage(long(alice)))).toBe(false)
    expect(await validate(encodeMessage(long(pro)))).toBe(true)
    expect(await submit(encodeMessage(long(alice)))).toBe(`${validation}/Pro subscription required`)
    expect(await submit(encodeMessage(long(stranger)))).toBe(`${validation}/Pro subscription required`)
    const urls = Array.from({ length: 5 }, (_, n) => ({ url: `https://example.com/${n}` }))
    const broken = (user: TestUser) => user.cast('x'.repeat(1500), testNow - 4, { type: 2, embeds: urls })
    expect(await submit(encodeMessage(broken(alice)))).toBe(`${validation}/Pro subscription required`)
    expect(await submit(encodeMessage(broken(pro)))).toBe(`${validation}/embeds > 4`)
    const large = (user: TestUser) => user.cast('x'.repeat(2100), testNow - 4, { type: 2 })
    expect(await submit(encodeMessage(large(alice)))).toBe(`${validation}/dataBytes > 2048 bytess`)
    expect(await submit(encodeMessage(large(pro)))).toBe('merged')
  })

  test('a reaction of type NONE is valid, and never merges', async () => {
    const none = alice.message(
      { type: MessageType.REACTION_ADD, reactionBody: { ...like, type: 0 } },
      testNow,
    )
    expect(await validate(encodeMessage(none))).toBe(true)
    expect(await submit(encodeMessage(none))).toBe(`${validation}/targetId provided without type`)
  })
})

test('C.12 all refusals but those of the stores have one code', async () => {
  const cast = stranger.cast('hi', testNow)
  expect(await submit(encodeMessage(cast))).toBe(`${validation}/unknown fid`)
  expect(await submit(encodeMessage(testKey('nobody').sign(castData)))).toBe(`${validation}/invalid signer`)
  const poor = new TestUser(3)
  await api.hub.submitOnChainEvents(poor.onChain({ units: 0 }))
  expect(await submit(encodeMessage(poor.cast('hi', testNow)))).toBe(`${validation}/insufficient storage`)
})

test('C.16 a wrong signature hides a fault of timestamp and body, but not of hash and size', async () => {
  const late = alice.cast('x'.repeat(400), testNow + 9000)
  const forged = { ...late, signature: Buffer.alloc(64, 1) }
  expect(await submit(encodeMessage(forged))).toBe(`${validation}/invalid signature`)
  expect(await submit(encodeMessage(late))).toBe(`${validation}/timestamp more than 10 mins in the future`)
  expect(await submit(encodeMessage({ ...forged, hash: Buffer.alloc(20) }))).toBe(
    `${validation}/invalid hash`,
  )
})
