import { isRefusal, type Refusal, refuse } from '../../platform/errors.js'
import { decodeMessage, encodeMessage } from '../../protocol/codec.js'
import { HubEventType, OnChainEvent, UserNameProof, UserNameType } from '../../protocol/definitions.js'
import { WireReader } from '../../protocol/wire.js'
import { type Nonce, NonceKind } from '../merge/keys/key-state.js'
import type { MergeItem } from '../merge/shard-writer.js'
import { type BytesField, eachField, encodeFields, varint } from '../protobuf.js'

/**
 * A frame is a length and a HubEvent of type MERGE_MESSAGE, MERGE_USERNAME_PROOF or MERGE_ON_CHAIN_EVENT
 * without an id, or of type NONE with the nonce of keys (docs/protocol.md §4.14). Any reader with the protocol's schema can
 * read an archive.
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
/** A field that HubEvent does not have, so its readers skip it. */
const KEY_NONCE_BODY = 1000
const KEY_NONCE = 1
/** The kind of the owner, 1 byte; then the owner's fid and the nonce, u64be. */
const KEY_NONCE_BYTES = 17

/** Fnames are transferred without messages; of other names, an upstream lists the proofs alone. */
const NAME_TYPES: ReadonlySet<UserNameType> = new Set([
  UserNameType.USERNAME_TYPE_FNAME,
  UserNameType.USERNAME_TYPE_ENS_L1,
  UserNameType.USERNAME_TYPE_BASENAME,
])

/** Encodes the frame of a Message; `proof` is the body of a USERNAME_PROOF. */
export function messageFrame(message: Uint8Array, proof?: UserNameProof): Buffer {
  if (proof === undefined) {
    return frame(HubEventType.MERGE_MESSAGE, MERGE_MESSAGE_BODY, { number: MESSAGE, bytes: message })
  }
  return frame(
    HubEventType.MERGE_USERNAME_PROOF,
    MERGE_USERNAME_PROOF_BODY,
    { number: USERNAME_PROOF, bytes: UserNameProof.encode(proof).finish() },
    { number: USERNAME_PROOF_MESSAGE, bytes: message },
  )
}

/** Encodes the frame of a UserNameProof without a message, such as an fname transfer. */
export function nameTransferFrame(proof: Uint8Array): Buffer {
  const field = { number: USERNAME_PROOF, bytes: proof }
  return frame(HubEventType.MERGE_USERNAME_PROOF, MERGE_USERNAME_PROOF_BODY, field)
}

/** Encodes the frame of an OnChainEvent. */
export function chainEventFrame(event: Uint8Array): Buffer {
  const field = { number: ON_CHAIN_EVENT, bytes: event }
  return frame(HubEventType.MERGE_ON_CHAIN_EVENT, MERGE_ON_CHAIN_EVENT_BODY, field)
}

/** Encodes the frame of the largest nonce that an owner of gasless keys has used. */
export function keyNonceFrame({ kind, fid, nonce }: Nonce): Buffer {
  const bytes = Buffer.alloc(KEY_NONCE_BYTES)
  bytes.writeUInt8(kind)
  bytes.writeBigUInt64BE(BigInt(fid), 1)
  bytes.writeBigUInt64BE(BigInt(nonce), 9)
  return frame(HubEventType.NONE, KEY_NONCE_BODY, { number: KEY_NONCE, bytes })
}

function frame(type: HubEventType, bodyNumber: number, ...bodyFields: BytesField[]): Buffer {
  const body = encodeFields([{ number: bodyNumber, bytes: encodeFields(bodyFields) }])
  return Buffer.concat([Buffer.from([...varint(2 + body.length), TYPE << 3, type]), body])
}

/** Encodes the frame of an item to merge. */
export function itemFrame(item: MergeItem): Buffer {
  switch (item.kind) {
    case 'chainEvent':
      return chainEventFrame(OnChainEvent.encode(item.event).finish())
    case 'nameTransfer':
      return nameTransferFrame(UserNameProof.encode(item.proof).finish())
    case 'message':
      return messageFrame(encodeMessage(item.message), item.message.data.usernameProofBody)
  }
}

/** Splits frames into HubEvents. Yields null in place of a rest that is not a complete frame. */
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

/** Decodes the frame of a nonce; null if it is another one. */
export function decodeKeyNonce(event: Buffer): Nonce | null {
  const body = fieldOf(event, KEY_NONCE_BODY)
  const bytes = body && fieldOf(body, KEY_NONCE)
  if (bytes?.length !== KEY_NONCE_BYTES) return null
  const kind = Object.values(NonceKind).find((each) => each === bytes[0])
  const [fid, nonce] = [Number(bytes.readBigUInt64BE(1)), Number(bytes.readBigUInt64BE(9))]
  return kind && Number.isSafeInteger(fid) && Number.isSafeInteger(nonce) ? { kind, fid, nonce } : null
}

/** Returns true if `decodeItem` returned an item. */
export function isItem(result: MergeItem | Refusal): result is MergeItem {
  return 'kind' in result
}

function messageItem(encoded: Buffer | null): MergeItem | Refusal {
  if (encoded === null) return malformed('frame has no message')
  const message = decodeMessage(encoded)
  return isRefusal(message) ? message : { kind: 'message', message }
}

function transferItem(encoded: Buffer | null): MergeItem | Refusal {
  const proof = encoded && tryDecode(() => UserNameProof.decode(Buffer.from(encoded)))
  if (!proof) return malformed('frame has no name proof')
  if (!NAME_TYPES.has(proof.type)) return malformed('name proof is of an unknown type')
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

/** Returns the content of the last field of this number, as protobuf defines; null if there is none. */
function fieldOf(bytes: Buffer, number: number): Buffer | null {
  let found: Buffer | null = null
  try {
    eachField(bytes, (field, start, content, end) => {
      if (field === number && content > start) found = bytes.subarray(content, end)
    })
  } catch {
    return null
  }
  return found
}
