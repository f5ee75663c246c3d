import { type Refusal, refuse } from '../platform/errors.js'
import { asBuffer } from './bytes.js'
import { canonicalEncoding } from './canonical.js'
import { type HashScheme, Message, MessageData, type SignatureScheme } from './definitions.js'
import type { SignedMessage } from './message.js'
import { messageDataSchema } from './message-kinds.js'
import { inspectWire, type WireFinding, WireReader } from './wire.js'

/** Largest `dataBytes` of any message type (docs/protocol.md §3.3.1). Of longer ones only the head is decoded. */
const MAX_DATA_BYTES = 65_536

/**
 * Largest `data` that is encoded canonically. What encoders write shrinks most where it has a list of numbers: packed, each
 * number has no tag, which is half of it at most. Unknown fields, fields that are given more than once and padded numbers
 * shrink further (docs/protocol.md §9.2).
 */
const MAX_UNPACKED_DATA_BYTES = 2 * MAX_DATA_BYTES

const EMPTY = Buffer.alloc(0)

/** The outer fields of a message, as slices of the input. */
interface Envelope {
  /** The content of every `data`: protobuf merges them, which is to read one after the other. */
  data: Buffer | undefined
  dataBytes: Buffer | undefined
  hash: Buffer
  hashScheme: number
  signature: Buffer
  signatureScheme: number
  signer: Buffer
}

/** The fields of a Message by number. */
const ENVELOPE_FIELDS = [
  undefined,
  'data',
  'hash',
  'hashScheme',
  'signature',
  'signatureScheme',
  'signer',
  'dataBytes',
] as const

/** The refusal of bytes that are no `Message`. */
const noMessage = refuse('bad_request.parse_failure', 'Invalid protobuf data: not a Message')

/** The refusal of a message without data, or with `data_bytes` that do not decode (docs/protocol.md §3.2). */
export const noData = refuse('bad_request.validation_failure', 'message has no data')

/** The refusal of a message with a number that JavaScript cannot hold (docs/protocol.md §3.2). */
const largeNumber = refuse('bad_request.validation_failure', 'a number in data is larger than 2^53 - 1')

/**
 * Decodes an encoded `Message` from outside, to what the network reads from it (docs/protocol.md §3.2). The result
 * is a copy and does not refer to `bytes`.
 *
 * It checks the wire form (`wire.ts`), but not the rules of messages (`validate.ts`). `data_bytes` (7) is what was
 * signed; a `data` (1) beside it does not count. Without `data_bytes`, the canonical encoding of `data` takes its
 * place. Present but empty `data_bytes` stay empty, which `validate.ts` refuses.
 */
export function decodeMessage(bytes: Buffer): SignedMessage | Refusal {
  const envelope = readEnvelope(bytes)
  if (envelope === null) return noMessage
  const { data, dataBytes } = envelope
  const finding = dataBytes === undefined ? null : inspectWire(dataBytes, messageDataSchema)
  const beside =
    data === undefined || dataBytes?.equals(data) ? finding : inspectWire(data, messageDataSchema)
  if (data !== undefined && isUndecodable(beside)) return noMessage
  if (isUndecodable(finding)) return noData
  if (dataBytes === undefined || dataBytes.length === 0) {
    if (data === undefined) return noData
    if (beside === 'number too large') return largeNumber
    const signed = data.length > MAX_UNPACKED_DATA_BYTES ? data : canonicalEncoding(data, messageDataSchema)
    const content = signed.length > MAX_DATA_BYTES ? readableContent(signed) : signed
    const message = copyEnvelope(envelope, dataBytes ?? signed, content)
    // Empty `data_bytes` do not say what `data` says: such a message is refused, and shown with its `data`.
    return dataBytes === undefined ? message : { ...message, isIrregular: true }
  }
  if (finding === 'number too large') return largeNumber
  if (finding === null && dataBytes.length <= MAX_DATA_BYTES) return copyEnvelope(envelope, dataBytes)
  return { ...copyEnvelope(envelope, dataBytes, readableContent(dataBytes)), isIrregular: true }
}

/** Returns data that the generated decoder reads as the network does. Of data that is too long only its head. */
function readableContent(data: Buffer): Buffer {
  return canonicalEncoding(data.length > MAX_DATA_BYTES ? headOf(data) : data, messageDataSchema)
}

/** Returns false if only the head of the data was decoded: the data is too long for any message type. */
export function isWhole({ dataBytes }: SignedMessage): boolean {
  return dataBytes.length <= MAX_DATA_BYTES
}

function isUndecodable(finding: WireFinding): boolean {
  return finding === 'malformed' || finding === 'invalid utf-8'
}

/** Returns the fid in `data` of a message that `decodeMessage` accepted, whatever its `data_bytes`; 0 without `data`. */
export function fidBesideDataBytes(bytes: Buffer): number {
  const data = readEnvelope(bytes)?.data
  const head = data === undefined ? undefined : headOf(data)
  if (head === undefined || inspectWire(head, messageDataSchema) === 'number too large') return 0
  return MessageData.decode(canonicalEncoding(head, messageDataSchema)).fid
}

/** Decodes a message that Plaza has checked and stored; the result refers to `bytes`. */
export function decodeStoredMessage(bytes: Buffer): SignedMessage {
  return fromProtobuf(Message.decode(bytes))
}

/** Converts a generated `Message` of `toProtobuf`, as stored events contain it. */
export function fromProtobuf(message: Message): SignedMessage {
  if (message.dataBytes === undefined) throw new Error('a stored message has no data_bytes')
  const dataBytes = asBuffer(message.dataBytes)
  return {
    ...(message.data === undefined ? {} : { isIrregular: true }),
    data: message.data ?? MessageData.decode(dataBytes),
    dataBytes,
    hash: asBuffer(message.hash),
    hashScheme: message.hashScheme,
    signature: asBuffer(message.signature),
    signatureScheme: message.signatureScheme,
    signer: asBuffer(message.signer),
  }
}

/**
 * Converts a message for the generated code, to store it or to nest it in an event: with `data_bytes`, and with
 * `data` only where the generated decoder would misread `data_bytes`.
 */
export function toProtobuf(message: SignedMessage): Message {
  return {
    data: message.isIrregular ? message.data : undefined,
    hash: message.hash,
    hashScheme: message.hashScheme,
    signature: message.signature,
    signatureScheme: message.signatureScheme,
    signer: message.signer,
    dataBytes: message.dataBytes,
  }
}

/** Encodes a message for storage and sending, in the form of `toProtobuf`. */
export function encodeMessage(message: SignedMessage): Buffer {
  return asBuffer(Message.encode(toProtobuf(message)).finish())
}

function readEnvelope(bytes: Buffer): Envelope | null {
  const envelope: Envelope = {
    data: undefined,
    dataBytes: undefined,
    hash: EMPTY,
    hashScheme: 0,
    signature: EMPTY,
    signatureScheme: 0,
    signer: EMPTY,
  }
  // Parts of `data`, one after the other. A body of 4 MB may have a million of them: they are copied as they come.
  let parts: Buffer | null = null
  let length = 0
  const reader = new WireReader(bytes)
  while (reader.position < bytes.length) {
    const tag = reader.readUint32()
    if (tag < 8) return null
    const field = ENVELOPE_FIELDS[tag >>> 3]
    if (field === undefined) {
      if (!reader.skip(tag & 7, tag >>> 3)) return null
    } else if (field === 'hashScheme' || field === 'signatureScheme') {
      const scheme = (tag & 7) === 0 ? reader.readInt32() : null
      if (scheme === null) return null
      envelope[field] = scheme
    } else {
      const start = (tag & 7) === 2 ? reader.readBytes() : -1
      if (start < 0) return null
      const content = bytes.subarray(start, reader.position)
      if (field !== 'data' || envelope.data === undefined) {
        envelope[field] = content
        continue
      }
      if (parts === null) {
        if (isUndecodable(inspectWire(envelope.data, messageDataSchema))) return null
        parts = Buffer.allocUnsafe(bytes.length)
        length = envelope.data.copy(parts)
      }
      // Each must be a message by itself, or two broken ones could make a whole one.
      if (isUndecodable(inspectWire(content, messageDataSchema))) return null
      length += content.copy(parts, length)
    }
  }
  if (parts !== null) envelope.data = parts.subarray(0, length)
  return envelope
}

/**
 * Copies the parts of the envelope into one buffer, so that a large request body can be freed.
 *
 * @param content What the generated decoder reads, if not the signed bytes.
 */
function copyEnvelope(envelope: Envelope, signed: Buffer, content?: Buffer): SignedMessage {
  const { hash, signature, signer } = envelope
  const copy = Buffer.concat([signed, hash, signature, signer])
  const hashStart = signed.length
  const signatureStart = hashStart + hash.length
  const signerStart = signatureStart + signature.length
  const dataBytes = copy.subarray(0, hashStart)
  return {
    data: MessageData.decode(content === undefined ? dataBytes : Buffer.from(content)),
    dataBytes,
    hash: copy.subarray(hashStart, signatureStart),
    hashScheme: envelope.hashScheme as HashScheme,
    signature: copy.subarray(signatureStart, signerStart),
    signatureScheme: envelope.signatureScheme as SignatureScheme,
    signer: copy.subarray(signerStart),
  }
}

/** Returns the fields 1 to 4 of encoded data: type, fid, timestamp and network. */
function headOf(data: Buffer): Buffer {
  const reader = new WireReader(data)
  const last = new Map<number, Buffer>()
  while (reader.position < data.length) {
    const start = reader.position
    const tag = reader.readUint32()
    reader.skip(tag & 7, tag >>> 3)
    if (tag >>> 3 <= 4) last.set(tag >>> 3, data.subarray(start, reader.position))
  }
  return Buffer.concat([...last.values()])
}
