import { MessageDataSpec } from '../judge/definitions.js'
import { hashOf } from '../judge/message.js'
import { type Decoded, encode } from '../judge/schema.js'
import { varintBytes } from '../judge/wire.js'
import type { Ed25519Key } from './accounts.js'

/** Content of a message before it is signed; fields that are left out hold the default. */
export type Content = { [Name in keyof Decoded]: unknown }

/** How an encoded message differs from the usual one. */
export interface Form {
  /** Replaces the bytes of field 7; null leaves it out. */
  readonly dataBytes?: Uint8Array | null
  /** Bytes of field 1. */
  readonly data?: Uint8Array
  /** What is hashed, if not `dataBytes`. */
  readonly hashed?: Uint8Array
  readonly hash?: Uint8Array
  readonly hashScheme?: number
  readonly signature?: Uint8Array
  readonly signatureScheme?: number
  readonly signer?: Uint8Array
  /** Appended to the message. */
  readonly suffix?: Uint8Array
}

/** Encodes the data of a message. */
export function encodeData(content: Content): Uint8Array {
  return encode(MessageDataSpec, content as Decoded)
}

/** Hashes, signs and encodes a message. */
export function seal(dataBytes: Uint8Array, key: Ed25519Key, form: Form = {}): Buffer {
  const hash = form.hash ?? hashOf(form.hashed ?? dataBytes)
  const content = form.dataBytes === undefined ? dataBytes : form.dataBytes
  return Buffer.concat([
    form.data === undefined ? Buffer.alloc(0) : bytesField(1, form.data),
    bytesField(2, hash),
    numberField(3, form.hashScheme ?? 1),
    bytesField(4, form.signature ?? key.sign(hash)),
    numberField(5, form.signatureScheme ?? 1),
    bytesField(6, form.signer ?? key.publicKey),
    content === null ? Buffer.alloc(0) : bytesField(7, content),
    form.suffix ?? Buffer.alloc(0),
  ])
}

/** Encodes a protobuf field of bytes: tag, length, content. */
export function bytesField(number: number, bytes: Uint8Array): Buffer {
  const head = [...varintBytes(BigInt(number * 8 + 2)), ...varintBytes(BigInt(bytes.length))]
  return Buffer.concat([Buffer.from(head), bytes])
}

/** Encodes a protobuf field of a number: tag and varint. */
export function numberField(number: number, value: number | bigint): Buffer {
  return Buffer.from([...varintBytes(BigInt(number * 8)), ...varintBytes(BigInt(value))])
}
