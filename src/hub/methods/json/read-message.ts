import bs58 from 'bs58'
import { type Refusal, refuse } from '../../../platform/errors.js'
import { asBuffer } from '../../../protocol/bytes.js'
import { decodeMessage } from '../../../protocol/codec.js'
import { Message, MessageData } from '../../../protocol/definitions.js'
import { messageHash } from '../../../protocol/hash.js'
import type { SignedMessage } from '../../../protocol/message.js'
import { eachField, lengthDelimited } from '../../protobuf.js'
import { enumValue, messageTypeNames, storageUnitTypeNames } from './enum-names.js'

type JsonObject = Readonly<Record<string, unknown>>

/**
 * Reads a signed message from JSON, in the form of the hub API (docs/protocol.md §1.2), which `messageJson`
 * writes, or in that of the protocol's libraries, where all bytes are base64. Enums are names or numbers.
 *
 * The signature is over bytes. `dataBytes` has them, if given. Otherwise `data` is encoded in each of the two
 * ways that libraries have (docs/protocol.md §3.2), and the one with the hash of the message is what was
 * signed.
 */
export function readMessageJson(json: object): SignedMessage | Refusal {
  try {
    return decodeMessage(asBuffer(Message.encode(readEnvelope({ ...json })).finish()))
  } catch (error) {
    if (error instanceof UnreadableError) return refuse('bad_request.parse_failure', error.message)
    throw error
  }
}

/** Thrown and caught in this file. */
class UnreadableError extends Error {}

function readEnvelope(json: JsonObject): Message {
  const given = json.dataBytes ?? json.data_bytes
  const message = readByLibrary('message', () =>
    Message.fromJSON({ ...inBase64(json, ['hash', 'signature', 'signer']), data: undefined }),
  )
  if (given !== undefined && given !== null) {
    return { ...message, data: undefined, dataBytes: Buffer.from(base64Of(given, 'dataBytes'), 'base64') }
  }
  return { ...message, data: undefined, dataBytes: signedBytes(readData(json.data), message.hash) }
}

function signedBytes(data: MessageData, hash: Uint8Array): Buffer {
  const encoded = asBuffer(MessageData.encode(data).finish())
  if (messageHash(encoded).equals(hash)) return encoded
  const shorter = withoutEmptyLists(encoded)
  // Without a match the message is refused for its hash.
  return messageHash(shorter).equals(hash) ? shorter : encoded
}

const CAST_ADD_FIELD = 5
/** `mentions` and `mentionsPositions` of a cast (docs/protocol.md §3.1). */
const listFields: ReadonlySet<number> = new Set([2, 5])

/**
 * Encoded MessageData without the empty lists of numbers in its cast. Encoders in JavaScript write these
 * lists, those in Rust do not (docs/protocol.md §3.2), and the hash is over what was written.
 */
export function withoutEmptyLists(data: Buffer): Buffer {
  const parts: Buffer[] = []
  eachField(data, (field, start, content, end) => {
    if (field !== CAST_ADD_FIELD) {
      parts.push(data.subarray(start, end))
      return
    }
    const kept: Buffer[] = []
    const keep = (inner: number, innerStart: number, innerContent: number, innerEnd: number) => {
      const isEmptyList = listFields.has(inner) && innerContent === innerEnd
      if (!isEmptyList) kept.push(data.subarray(innerStart, innerEnd))
    }
    eachField(data, keep, content, end)
    const body = Buffer.concat(kept)
    parts.push(lengthDelimited(CAST_ADD_FIELD, body.length), body)
  })
  return Buffer.concat(parts)
}

function readData(value: unknown): MessageData {
  const data = objectIn(value, 'data')
  const read = Object.fromEntries(
    Object.entries(data).map(([name, member]) => {
      // A member may have the name of a method that every object has.
      const reader = Object.hasOwn(bodyReaders, name) ? bodyReaders[name] : undefined
      return [name, reader === undefined || member === null ? member : reader(objectIn(member, name))]
    }),
  )
  return readByLibrary('data', () => MessageData.fromJSON(read))
}

/** Maps bodies to the names of the library, with bytes in base64; others stay as they are. */
const bodyReaders: Readonly<Record<string, (body: JsonObject) => object>> = {
  castAddBody: (body) => ({
    ...withCastId(body, 'parentCastId'),
    embeds: listIn(body.embeds ?? [], 'embeds').map((embed) =>
      withCastId(objectIn(embed, 'embeds'), 'castId'),
    ),
  }),
  castRemoveBody: (body) => inBase64(body, ['targetHash']),
  reactionBody: (body) => withCastId(body, 'targetCastId'),
  verificationAddAddressBody: (body) => ({
    ...solanaInBase64(inBase64(body, ['claimSignature']), ['address', 'blockHash']),
    verificationType: body.verificationType ?? body.type,
  }),
  verificationRemoveBody: (body) => solanaInBase64(body, ['address']),
  usernameProofBody: (body) => ({
    ...inBase64(body, ['owner', 'signature']),
    // Names in messages have a dot, which base64 has not (docs/protocol.md §3.3.8).
    name: isDotted(body.name) ? Buffer.from(body.name).toString('base64') : body.name,
  }),
  frameActionBody: (body) =>
    inBase64(withCastId(body, 'castId'), ['url', 'inputText', 'state', 'transactionId', 'address']),
  lendStorageBody: (body) => ({ ...body, unitType: numberNamed(storageUnitTypeNames, body.unitType) }),
  keyAddBody: (body) => ({
    ...inBase64(body, ['key', 'custodySignature', 'metadata', 'registrationTxHash']),
    scopes: listIn(body.scopes ?? [], 'scopes').map((scope) => numberNamed(messageTypeNames, scope)),
  }),
  keyRemoveBody: (body) => inBase64(body, ['key', 'signature']),
  channelUpdateBody: (body) => inBase64(body, ['channelId']),
  channelMemberBody: (body) => inBase64(body, ['channelId']),
  channelPinBody: (body) => inBase64(body, ['channelId', 'castHash']),
  channelModerateBody: (body) => inBase64(body, ['channelId', 'castHash']),
}

/** The number of an enum that the hub API spells differently from the library; others stay. */
function numberNamed(names: Parameters<typeof enumValue>[0], value: unknown): unknown {
  return typeof value === 'string' ? (enumValue(names, value) ?? value) : value
}

function withCastId(body: JsonObject, name: string): JsonObject {
  const castId = body[name]
  if (castId === undefined || castId === null) return body
  return { ...body, [name]: inBase64(objectIn(castId, name), ['hash']) }
}

function isDotted(name: unknown): name is string {
  return typeof name === 'string' && name.includes('.')
}

function inBase64(json: JsonObject, names: readonly string[], toBase64 = base64Of): JsonObject {
  const given = names.filter((name) => json[name] !== undefined && json[name] !== null)
  return { ...json, ...Object.fromEntries(given.map((name) => [name, toBase64(json[name], name)])) }
}

/** As `inBase64`, for addresses and block hashes, which of Solana are in base58. */
function solanaInBase64(json: JsonObject, names: readonly string[]): JsonObject {
  return inBase64(json, names, (value, name) => {
    const bytes = typeof value === 'string' && base58Form.test(value) ? bs58.decodeUnsafe(value) : undefined
    return bytes?.length === SOLANA_BYTES ? asBuffer(bytes).toString('base64') : base64Of(value, name)
  })
}

const hexForm = /^0x(?:[\da-f]{2})*$/i
const base64Form = /^(?:[\w+/-]{4})*(?:[\w+/-]{2,3}={0,2})?$/
/** 32 bytes of Solana: at most 44 characters. 33 bytes in base64 may look the same, which is why other members are not base58. */
const base58Form = /^[1-9A-HJ-NP-Za-km-z]{32,44}$/
const SOLANA_BYTES = 32

/** Converts bytes in `0x` hex or base64 to base64. */
function base64Of(value: unknown, name: string): string {
  if (typeof value !== 'string') throw new UnreadableError(`${name} must be bytes, in 0x hex or base64`)
  if (hexForm.test(value)) return Buffer.from(value.slice(2), 'hex').toString('base64')
  if (base64Form.test(value)) return Buffer.from(value, 'base64').toString('base64')
  throw new UnreadableError(`${name} must be bytes, in 0x hex or base64`)
}

function objectIn(value: unknown, name: string): JsonObject {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return { ...value }
  throw new UnreadableError(`${name} must be an object`)
}

function listIn(value: unknown, name: string): readonly unknown[] {
  if (Array.isArray(value)) return value
  throw new UnreadableError(`${name} must be a list`)
}

/** The library throws on unknown enums, and on values of the wrong type. */
function readByLibrary<T>(name: string, read: () => T): T {
  try {
    return read()
  } catch {
    throw new UnreadableError(`${name} does not have the form of a message`)
  }
}
