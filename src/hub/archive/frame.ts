import { HubEventType, OnChainEvent, UserNameProof, UserNameType } from '@farcaster/core'
import { type Refusal, refuse } from '../../platform/errors.js'
import { asBuffer } from '../../protocol/bytes.js'
import { decodeMessage, encodeMessage } from '../../protocol/codec.js'
import { WireReader } from '../../protocol/wire.js'
import type { MergeItem } from '../merge/shard-writer.js'

/**
 * A frame is a length and a HubEvent of type MERGE_MESSAGE, MERGE_USERNAME_PROOF or MERGE_ON_CHAIN_EVENT
 * without an id (docs/protocol.md §4.14). Any reader with the protocol's schema can read an archive.
 *
 * Frames contain stored bytes as they are and decode to the bytes that were signed: decoding and encoding a
 * message again may change its hash (docs/protocol.md §3.2).
 */

/** Field numbers of HubEvent and of its bodies. */
const TYPE = 1
const MERGE_MESSAGE_BODY = 3
const MERGE_USERNAME_PROOF_BODY = 8
const MERGE_ON_CHAIN_EVENT_BODY = 11
const MESSAGE = 1
const USERNAME_PROOF = 1
const USERNAME_PROOF_MESSAGE = 3
const ON_CHAIN_EVENT = 1

const LENGTH_DELIMITED = 2

/** Encodes the frame of a Message of any type but USERNAME_PROOF. */
export function messageFrame(message: Uint8Array): Buffer {
  return frame(HubEventType.MERGE_MESSAGE, MERGE_MESSAGE_BODY, [field(MESSAGE, message)])
}

/** Encodes the frame of a USERNAME_PROOF Message with the body `proof`. */
export function nameMessageFrame(message: Uint8Array, proof: UserNameProof): Buffer {
  return frame(HubEventType.MERGE_USERNAME_PROOF, MERGE_USERNAME_PROOF_BODY, [
    field(USERNAME_PROOF, UserNameProof.encode(proof).finish()),
    field(USERNAME_PROOF_MESSAGE, message),
  ])
}

/** Encodes the frame of an fname transfer, a UserNameProof. */
export function nameTransferFrame(proof: Uint8Array): Buffer {
  return frame(HubEventType.MERGE_USERNAME_PROOF, MERGE_USERNAME_PROOF_BODY, [field(USERNAME_PROOF, proof)])
}

/** Encodes the frame of an OnChainEvent. */
export function chainEventFrame(event: Uint8Array): Buffer {
  return frame(HubEventType.MERGE_ON_CHAIN_EVENT, MERGE_ON_CHAIN_EVENT_BODY, [field(ON_CHAIN_EVENT, event)])
}

/** Encodes the frame of an item to merge. */
export function itemFrame(item: MergeItem): Buffer {
  switch (item.kind) {
    case 'chainEvent':
      return chainEventFrame(OnChainEvent.encode(item.event).finish())
    case 'nameTransfer':
      return nameTransferFrame(UserNameProof.encode(item.proof).finish())
    case 'message': {
      const encoded = encodeMessage(item.message)
      const proof = item.message.data.usernameProofBody
      return proof === undefined ? messageFrame(encoded) : nameMessageFrame(encoded, proof)
    }
  }
}

/**
 * Splits frames into HubEvents. Yields null in place of the rest if it does not consist of complete frames.
 */
export function* splitFrames(frames: Buffer): Generator<Buffer | null> {
  const reader = new WireReader(frames)
  while (reader.position < frames.length) {
    const start = reader.readBytes()
    if (start < 0) {
      yield null
      return
    }
    yield frames.subarray(start, reader.position)
  }
}

/** Decodes a HubEvent of an archive into an item to merge, or a refusal. */
export function decodeItem(event: Buffer): MergeItem | Refusal {
  const mergeMessage = fieldOf(event, MERGE_MESSAGE_BODY)
  if (mergeMessage !== null) return messageItem(fieldOf(mergeMessage, MESSAGE))
  const mergeProof = fieldOf(event, MERGE_USERNAME_PROOF_BODY)
  if (mergeProof !== null) {
    const message = fieldOf(mergeProof, USERNAME_PROOF_MESSAGE)
    return message === null ? transferItem(fieldOf(mergeProof, USERNAME_PROOF)) : messageItem(message)
  }
  const mergeChainEvent = fieldOf(event, MERGE_ON_CHAIN_EVENT_BODY)
  if (mergeChainEvent !== null) return chainEventItem(fieldOf(mergeChainEvent, ON_CHAIN_EVENT))
  return malformed('frame is neither a message, a name proof nor an on-chain event')
}

/** Returns true if `decodeItem` returned an item. */
export function isItem(result: MergeItem | Refusal): result is MergeItem {
  return 'kind' in result
}

function messageItem(encoded: Buffer | null): MergeItem | Refusal {
  if (encoded === null) return malformed('frame has no message')
  const message = decodeMessage(encoded)
  return 'code' in message ? message : { kind: 'message', message }
}

function transferItem(encoded: Buffer | null): MergeItem | Refusal {
  const proof = encoded && tryDecode(() => UserNameProof.decode(Buffer.from(encoded)))
  if (!proof) return malformed('frame has no name proof')
  if (proof.type !== UserNameType.USERNAME_TYPE_FNAME) {
    return malformed('only fnames are transferred without a message')
  }
  return { kind: 'nameTransfer', proof }
}

function chainEventItem(encoded: Buffer | null): MergeItem | Refusal {
  const event = encoded && tryDecode(() => OnChainEvent.decode(Buffer.from(encoded)))
  return event ? { kind: 'chainEvent', event } : malformed('frame has no on-chain event')
}

/** The generated decoder throws on malformed input. */
function tryDecode<T>(decode: () => T): T | null {
  try {
    return decode()
  } catch {
    return null
  }
}

function malformed(text: string): Refusal {
  return refuse('bad_request.parse_failure', text)
}

function frame(type: HubEventType, bodyNumber: number, bodyFields: readonly Buffer[]): Buffer {
  const body = field(bodyNumber, Buffer.concat(bodyFields))
  const sizeBytes = 2 + body.length
  return Buffer.concat([varint(sizeBytes), Buffer.of(TYPE << 3, type), body])
}

/** Encodes a field of bytes or of a nested message. */
function field(number: number, content: Uint8Array): Buffer {
  return Buffer.concat([varint((number << 3) | LENGTH_DELIMITED), varint(content.length), content])
}

function varint(value: number): Buffer {
  const bytes: number[] = []
  let rest = value
  while (rest >= 128) {
    bytes.push((rest % 128) | 128)
    rest = Math.floor(rest / 128)
  }
  bytes.push(rest)
  return Buffer.from(bytes)
}

/** Returns the content of the last field of this number, as protobuf defines; null if there is none. */
function fieldOf(bytes: Buffer, number: number): Buffer | null {
  const reader = new WireReader(bytes)
  let found: Buffer | null = null
  while (reader.position < bytes.length) {
    const tag = reader.readUint32()
    if (tag < 0) return null
    if (tag === ((number << 3) | LENGTH_DELIMITED)) {
      const start = reader.readBytes()
      if (start < 0) return null
      found = asBuffer(bytes.subarray(start, reader.position))
    } else if (!reader.skip(tag & 7)) {
      return null
    }
  }
  return found
}
