import { MessageDataSpec } from '../judge/definitions.js'
import { Type } from '../judge/message.js'
import { decode, encode } from '../judge/schema.js'
import { varintBytes } from '../judge/wire.js'
import type { Cell } from './cell.js'
import { contentOf, type Draft, type Produced } from './draft.js'
import { bytesField, encodeData, type Form, numberField, seal } from './seal.js'
import { castBody, traffic } from './traffic.js'

/** Encodings that differ from the usual one. */

/** Makes a message whose class shows how it differs. */
export type Producer = (cell: Cell, now: number) => Produced

const text = new TextEncoder()

const signWith = (cell: Cell, className: string, dataBytes: Uint8Array, fid: number, form: Form = {}) => {
  const user = cell.users.find((each) => each.fid === fid) ?? cell.users[0]!
  return { className, user, bytes: seal(dataBytes, user.key, form) }
}

/** A CAST_ADD of the first user with bytes after, before or inside its body. */
function castWith(
  cell: Cell,
  now: number,
  className: string,
  { before = [], inside = [], after = [] }: { before?: Buffer[]; inside?: Buffer[]; after?: Buffer[] },
  form: (dataBytes: Buffer) => Form = () => ({}),
): Produced {
  const user = cell.users[0]!
  const head = encodeData(contentOf(cell, user, now, Type.CAST_ADD, {}))
  const body = Buffer.concat([bytesField(4, text.encode(`w ${cell.random.below(1_000_000)}`)), ...inside])
  const dataBytes = Buffer.concat([...before, head, bytesField(5, body), ...after])
  return signWith(cell, className, dataBytes, user.fid, form(dataBytes))
}

const group = (number: number, content: Buffer[], end = number) =>
  Buffer.concat([tag(number, 3), ...content, tag(end, 4)])
const tag = (number: number, wireType: number) => Buffer.from(varintBytes(BigInt(number * 8 + wireType)))
const nested = (depth: number): Buffer => (depth === 0 ? Buffer.alloc(0) : group(99, [nested(depth - 1)]))
/** A varint with more bytes than it needs. */
const longVarint = (value: bigint, length: number) => {
  const bytes = varintBytes(value)
  while (bytes.length < length) {
    bytes[bytes.length - 1]! |= 0x80
    bytes.push(0)
  }
  return Buffer.from(bytes)
}
const linkBody = () =>
  bytesField(14, Buffer.concat([bytesField(1, text.encode('follow')), numberField(3, 2)]))
const castBodyOf = (value: string) => bytesField(5, bytesField(4, text.encode(value)))
const pinBody = () => bytesField(23, bytesField(1, Buffer.alloc(32, 1)))

const twoBodies: Producer = (cell, now) =>
  castWith(
    cell,
    now,
    'C.1 two bodies',
    cell.random.pick([
      { after: [linkBody()] },
      { before: [linkBody()] },
      { after: [linkBody(), castBodyOf('last')] },
      { before: [bytesField(7, Buffer.alloc(0))] },
    ]),
  )

const channelBody: Producer = (cell, now) =>
  castWith(
    cell,
    now,
    'C.1 channel body',
    cell.random.pick([
      { after: [pinBody()] },
      { before: [pinBody()] },
      { before: [bytesField(22, Buffer.alloc(0))] },
    ]),
  )

const unencoded: Producer = (cell, now) => {
  const extra = cell.random.pick<Parameters<typeof castWith>[3]>([
    {},
    { inside: [bytesField(2, Buffer.alloc(0))] },
    { inside: [numberField(8, 0)] },
    { after: [bytesField(1000, Buffer.from('unknown'))] },
    { after: [numberField(4, cell.network)] },
    { inside: [numberField(2, 5), numberField(5, 0)] },
  ])
  const hashesReencoding = cell.random.chance(50)
  return castWith(cell, now, 'C.2 data without data_bytes', extra, (dataBytes) => ({
    data: dataBytes,
    dataBytes: null,
    hashed: hashesReencoding ? reencoded(dataBytes) : dataBytes,
  }))
}

/** What the reference node would hash. */
function reencoded(dataBytes: Uint8Array): Uint8Array {
  return encode(MessageDataSpec, decode(MessageDataSpec, dataBytes))
}

const dataBesideBytes: Producer = (cell, now) => {
  const other = Buffer.from(
    encodeData(contentOf(cell, cell.users[1]!, now, Type.CAST_ADD, { castAdd: castBody(cell) })),
  )
  const form = cell.random.pick<(dataBytes: Buffer) => Form>([
    (data) => ({ data, dataBytes: Buffer.alloc(0) }),
    (data) => ({ data, dataBytes: Buffer.alloc(0), hashed: Buffer.alloc(0) }),
    (dataBytes) => ({ dataBytes, data: other }),
    (dataBytes) => ({ dataBytes, data: dataBytes }),
    (dataBytes) => ({ dataBytes, data: Buffer.alloc(0) }),
    (data) => ({ data, dataBytes: Buffer.from([0xff]) }),
    () => ({ dataBytes: Buffer.from([0x0c, 0x01]) }),
    () => ({ dataBytes: null }),
    () => ({ dataBytes: Buffer.alloc(0) }),
  ])
  return castWith(cell, now, 'C.3 data beside data_bytes', {}, form)
}

const wireForms: readonly (() => Parameters<typeof castWith>[3])[] = [
  () => ({ after: [group(99, [numberField(1, 5)])] }),
  () => ({ after: [nested(3)] }),
  () => ({ after: [nested(150)] }),
  () => ({ after: [group(99, [], 98)] }),
  () => ({ after: [tag(99, 4)] }),
  () => ({ inside: [group(50, [bytesField(2, Buffer.from('in a group'))])] }),
  () => ({ after: [Buffer.from([0x00, 0x01])] }),
  () => ({ after: [Buffer.from([0x9e, 0x06])] }),
  () => ({ after: [numberField(6, 1)] }),
  () => ({ inside: [numberField(4, 1)] }),
  () => ({ after: [Buffer.from([0xfa, 0x3e, 0x7f, 0x01])] }),
  () => ({ after: [tag(3, 0), longVarint(174_000_000n, 8)] }),
  () => ({ after: [tag(1, 0), longVarint(1n, 9)] }),
  () => ({ after: [tag(1, 0), longVarint(1n, 10)] }),
  () => ({ after: [numberField(1, (1n << 40n) + 1n)] }),
  () => ({ after: [longVarint(8n, 7), Buffer.from([1])] }),
  () => ({ after: [tag(1000, 2), longVarint(2n, 6), Buffer.from('ab')] }),
  () => ({ after: [tag(1000, 0), Buffer.from([...Buffer.alloc(9, 0xff), 0x02])] }),
  () => ({ after: [tag(1000, 0), Buffer.from([...Buffer.alloc(9, 0xff), 0x01])] }),
  () => ({ before: [numberField(3, 5), numberField(1, 3)] }),
  () => ({ after: [bytesField(5, bytesField(4, Buffer.from('merged')))] }),
  () => ({ after: [bytesField(5, Buffer.concat([numberField(2, 4), numberField(5, 0)]))] }),
  () => ({
    inside: [
      bytesField(2, Buffer.from([3, 4])),
      numberField(2, 5),
      bytesField(5, Buffer.from([0, 0])),
      numberField(5, 1),
    ],
  }),
  () => ({ inside: [bytesField(4, Buffer.from([0xff, 0xfe]))] }),
  () => ({ inside: [bytesField(4, Buffer.from([0xed, 0xa0, 0x80]))] }),
  () => ({ before: [bytesField(14, bytesField(1, Buffer.from([0xff])))] }),
  () => ({ before: [bytesField(21, bytesField(2, Buffer.from([0xff])))] }),
  () => ({
    inside: [
      bytesField(3, Buffer.concat([numberField(1, 2), bytesField(2, Buffer.alloc(20, 4))])),
      bytesField(3, numberField(1, 3)),
    ],
  }),
  () => ({
    inside: [
      bytesField(3, Buffer.concat([numberField(1, 2), bytesField(2, Buffer.alloc(20, 4))])),
      bytesField(7, Buffer.from('https://a.b')),
    ],
  }),
  () => ({
    inside: [
      bytesField(
        6,
        Buffer.concat([
          bytesField(1, Buffer.from('https://a.b')),
          bytesField(2, bytesField(2, Buffer.alloc(20))),
        ]),
      ),
    ],
  }),
  () => ({ after: [tag(77, 5), Buffer.alloc(4, 9)] }),
  () => ({ after: [tag(77, 1), Buffer.alloc(8, 9)] }),
  () => ({ after: [tag(77, 1), Buffer.alloc(7, 9)] }),
  () => ({ inside: [numberField(8, -1n)] }),
]

const wireForm: Producer = (cell, now) => castWith(cell, now, 'C.8 wire forms', cell.random.pick(wireForms)())

/** The same forms in the outer message. */
const envelopeForm: Producer = (cell, now) => {
  const suffix = cell.random.pick([
    () => group(99, [numberField(1, 5)]),
    () => tag(99, 4),
    () => Buffer.from([0x00]),
    () => bytesField(100, Buffer.from('unknown')),
    () => numberField(2, 1),
    () => numberField(3, -1n),
    () => numberField(5, -1n),
    () => numberField(3, (1n << 32n) + 1n),
    () => Buffer.concat([tag(3, 0), longVarint(1n, 8)]),
    () => Buffer.from([0x0a]),
    () => numberField(3, 1),
  ])()
  return castWith(cell, now, 'C.8 outer message', {}, () => ({ suffix }))
}

const truncated: Producer = (cell, now) => {
  const [, make] = cell.random.weighted(traffic)
  const draft: Draft = make(cell, now)
  const dataBytes = encodeData(draft.content)
  const cut = dataBytes.subarray(0, cell.random.below(dataBytes.length))
  return signWith(cell, 'C.3 truncated data', cut, draft.user.fid)
}

const flipped: Producer = (cell, now) => {
  const [, make] = cell.random.weighted(traffic.slice(0, 8))
  const draft = make(cell, now)
  const bytes = Buffer.from(encodeData(draft.content))
  const { type, fid } = draft.content
  // Another fid could be that of another cell.
  const start = encodeData({ type, fid }).length
  const place = start + cell.random.below(bytes.length - start)
  bytes[place] = bytes[place]! ^ (1 << cell.random.below(8))
  return signWith(cell, 'flipped bit of data', bytes, draft.user.fid)
}

export const wireFaults: readonly (readonly [number, Producer])[] = [
  [2, twoBodies],
  [2, channelBody],
  [3, unencoded],
  [3, dataBesideBytes],
  [6, wireForm],
  [2, envelopeForm],
  [2, truncated],
  [4, flipped],
]
