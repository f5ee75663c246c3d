import { describe, expect, it } from 'vitest'
import { isRefusal } from '../../../platform/errors.js'
import { decodeMessage, encodeMessage, toProtobuf } from '../../../protocol/codec.js'
import { Message, MessageData, type MessageType } from '../../../protocol/definitions.js'
import { messageHash } from '../../../protocol/hash.js'
import { sampleData, sampleSigner, validSamples } from '../../../protocol/testing/sample-messages.js'
import { messageJson } from './message.js'
import { readMessageJson, withoutEmptyLists } from './read-message.js'

const samples = Object.entries(await validSamples())
const signer = sampleSigner()

/** The JSON as a client sends it. */
const parsed = (json: unknown): object => JSON.parse(JSON.stringify(json))

describe('a message in JSON is read as it was signed', () => {
  it.each(samples)('%s, in the form of the hub API', (_, data) => {
    const message = signer.sign(data)
    expect(readMessageJson(parsed(messageJson(toProtobuf(message))))).toEqual(message)
  })

  it.each(samples)('%s, in the form of the protocol library, with and without bytes', (_, data) => {
    const message = signer.sign(data)
    const bytes = { ...toProtobuf(message), data }
    expect(readMessageJson(parsed(Message.toJSON(bytes)))).toEqual(message)
    expect(readMessageJson(parsed(Message.toJSON({ ...bytes, dataBytes: undefined })))).toEqual(message)
    expect(readMessageJson(parsed(Message.toJSON({ ...bytes, data: undefined })))).toEqual(message)
  })

  it('signed bytes whose base64 could be base58', () => {
    const castAddBody = {
      ...{ embedsDeprecated: [], embeds: [], mentions: [], mentionsPositions: [], type: 0 },
      text: 'a'.repeat(12),
    }
    const content = { ...sampleData(1 as MessageType, { castAddBody }), fid: 16_513, timestamp: 155_205_777 }
    const message = signer.sign({ ...content, network: 1 })
    expect(message.dataBytes.toString('base64')).toMatch(/^[1-9A-HJ-NP-Za-km-z]{44}$/)
    expect(readMessageJson(parsed(Message.toJSON(toProtobuf(message))))).toEqual(message)
  })

  it('a member with the name of a method of every object -> ignored as any unknown one', () => {
    const message = signer.sign(samples[0]![1])
    const { data, ...rest } = JSON.parse(JSON.stringify(messageJson(toProtobuf(message))))
    const more = { ...data, hasOwnProperty: {}, valueOf: {}, toLocaleString: {} }
    expect(readMessageJson({ ...rest, data: more })).toEqual(message)
  })

  it('an encoder that leaves out empty lists', () => {
    const castAddBody = {
      ...{ embedsDeprecated: [], embeds: [], mentions: [], mentionsPositions: [], type: 0 },
      text: 'x'.repeat(200),
    }
    const longer = Buffer.from(MessageData.encode(sampleData(1 as MessageType, { castAddBody })).finish())
    const dataBytes = withoutEmptyLists(longer)
    expect(dataBytes).toHaveLength(longer.length - 4)
    const hash = messageHash(dataBytes)
    const signature = signer.signHash(hash)
    const message = decodeMessage(
      encodeMessage({
        ...signer.sign(sampleData(1 as MessageType, { castAddBody })),
        dataBytes,
        hash,
        signature,
      }),
    )
    if (isRefusal(message)) throw new Error(message.message)
    expect(readMessageJson(parsed(messageJson(toProtobuf(message))))).toEqual(message)
  })
})

describe('JSON that is not a message', () => {
  const [, data] = samples[0]!
  const good = messageJson(toProtobuf(signer.sign(data)))

  it.each([
    ['nothing', {}],
    ['no data', { ...good, data: undefined }],
    ['data that is a list', { ...good, data: [] }],
    ['an unknown type', { ...good, data: { ...good.data, type: 'MESSAGE_TYPE_SONG' } }],
    ['a body that is a text', { ...good, data: { ...good.data, castAddBody: 'hello' } }],
    ['a hash that is a number', { ...good, hash: 5 }],
    ['a signature that is not bytes', { ...good, signature: '%%%' }],
    [
      'a name that is an object',
      { ...good, data: { ...good.data, usernameProofBody: { name: { toString: 1 } } } },
    ],
    ['embeds that are not a list', { ...good, data: { ...good.data, castAddBody: { embeds: 5 } } }],
  ])('is refused: %s', (_, json) => {
    expect(readMessageJson(parsed(json))).toMatchObject({ code: 'bad_request.parse_failure' })
  })

  it('C.3 data beside the signed bytes does not count', () => {
    const message = toProtobuf(signer.sign(data))
    const other = { ...parsed(Message.toJSON(message)), data: { ...good.data, fid: 2 } }
    expect(readMessageJson(other)).toMatchObject({ data: { fid: data.fid } })
  })
})
