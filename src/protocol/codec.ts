import { type Refusal, refuse } from '../platform/errors.js'
import { asBuffer } from './bytes.js'
import { type HashScheme, Message, MessageData, type SignatureScheme } from './definitions.js'
import type { SignedMessage } from './message.js'
import { messageDataSchema } from './message-kinds.js'
import { type WireFault, WireReader, wireFault } from './wire.js'

/** Largest `dataBytes` of any message type (docs/protocol.md §3.3.1). */
const MAX_DATA_BYTES = 65_536

const EMPTY = Buffer.alloc(0)

/** The outer fields of a message, as slices of the input. */
interface Envelope {
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

/** Returns true if `decodeMessage` returned a refusal. */
export function isRefusal(result: SignedMessage | Refusal): result is Refusal {
  return 'code' in result
}

/**
 * Decodes an encoded `Message` from outside. The result is a copy and does not refer to `bytes`.
 *
 * It checks the wire form strictly (`wire.ts`), but not the rules of messages (`validate.ts`). `data_bytes`
 * (7) is what was signed; a `data` (1) beside it must have the same content, so that nobody can show one
 * content and sign another. Without `data_bytes`, the bytes of `data` as they came take their place.
 */
export function decodeMessage(bytes: Buffer): SignedMessage | Refusal {
  const envelope = readEnvelope(bytes)
  if (envelope === null) return refuse('bad_request.parse_failure', 'message is not a valid protobuf Message')
  const signed = envelope.dataBytes?.length ? envelope.dataBytes : envelope.data
  if (signed === undefined || signed.length === 0) {
    return refuse('bad_request.validation_failure', 'data is missing')
  }
  if (signed.length > MAX_DATA_BYTES) {
    return refuse('bad_request.validation_failure', `dataBytes > ${MAX_DATA_BYTES} bytess`)
  }
  const fault = wireFault(signed, messageDataSchema)
  if (fault !== null) return refuse('bad_request.parse_failure', faultText(fault))
  if (envelope.data !== undefined && signed !== envelope.data && !sameData(envelope.data, signed)) {
    return refuse('bad_request.validation_failure', 'data and dataBytes differ')
  }
  return copyEnvelope(envelope, signed)
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
    data: MessageData.decode(dataBytes),
    dataBytes,
    hash: asBuffer(message.hash),
    hashScheme: message.hashScheme,
    signature: asBuffer(message.signature),
    signatureScheme: message.signatureScheme,
    signer: asBuffer(message.signer),
  }
}

/** Converts a message for the generated code, to nest it in an event: with `data_bytes`, without `data`. */
export function toProtobuf(message: SignedMessage): Message {
  return {
    data: undefined,
    hash: message.hash,
    hashScheme: message.hashScheme,
    signature: message.signature,
    signatureScheme: message.signatureScheme,
    signer: message.signer,
    dataBytes: message.dataBytes,
  }
}

/** Encodes a message for storage and sending: with `data_bytes`, without `data`. */
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
  const reader = new WireReader(bytes)
  while (reader.position < bytes.length) {
    const tag = reader.readUint32()
    if (tag < 8) return null
    const field = ENVELOPE_FIELDS[tag >>> 3]
    if (field === undefined) {
      if (!reader.skip(tag & 7)) return null
    } else if (field === 'hashScheme' || field === 'signatureScheme') {
      // A negative scheme takes ten bytes and is unknown: refused as malformed.
      const scheme = (tag & 7) === 0 ? reader.readUint32() : -1
      if (scheme < 0) return null
      envelope[field] = scheme
    } else {
      const start = (tag & 7) === 2 ? reader.readBytes() : -1
      // The reference node merges two `data`, the generated decoder keeps the last: see `wireFault`.
      if (start < 0 || (field === 'data' && envelope.data !== undefined)) return null
      envelope[field] = bytes.subarray(start, reader.position)
    }
  }
  return envelope
}

/** Compares by content: encoders differ in what they leave out (docs/protocol.md §3.2). */
function sameData(data: Buffer, dataBytes: Buffer): boolean {
  if (data.equals(dataBytes)) return true
  if (data.length > MAX_DATA_BYTES || wireFault(data, messageDataSchema) !== null) return false
  return canonical(data).equals(canonical(dataBytes))
}

function canonical(dataBytes: Buffer): Buffer {
  return asBuffer(MessageData.encode(MessageData.decode(dataBytes)).finish())
}

/** Copies the parts of the envelope into one buffer, so that a large request body can be freed. */
function copyEnvelope(envelope: Envelope, signed: Buffer): SignedMessage {
  const { hash, signature, signer } = envelope
  const copy = Buffer.concat([signed, hash, signature, signer])
  const hashStart = signed.length
  const signatureStart = hashStart + hash.length
  const signerStart = signatureStart + signature.length
  const dataBytes = copy.subarray(0, hashStart)
  return {
    data: MessageData.decode(dataBytes),
    dataBytes,
    hash: copy.subarray(hashStart, signatureStart),
    hashScheme: envelope.hashScheme as HashScheme,
    signature: copy.subarray(signatureStart, signerStart),
    signatureScheme: envelope.signatureScheme as SignatureScheme,
    signer: copy.subarray(signerStart),
  }
}

function faultText(fault: WireFault): string {
  switch (fault) {
    case 'malformed':
      return 'data is not a valid protobuf MessageData'
    case 'invalid utf-8':
      return 'a string in data is not valid UTF-8'
    case 'number too large':
      return 'a number in data is larger than 2^53 - 1'
  }
}
