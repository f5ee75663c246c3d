import { blake3 } from '@noble/hashes/blake3'
import { EnvelopeSpec, MessageDataSpec } from './definitions.js'
import { type Decoded, decode, encode } from './schema.js'

/** Message types by number, as the protocol names them. */
export const Type = {
  NONE: 0,
  CAST_ADD: 1,
  CAST_REMOVE: 2,
  REACTION_ADD: 3,
  REACTION_REMOVE: 4,
  LINK_ADD: 5,
  LINK_REMOVE: 6,
  VERIFICATION_ADD: 7,
  VERIFICATION_REMOVE: 8,
  USER_DATA_ADD: 11,
  USERNAME_PROOF: 12,
  FRAME_ACTION: 13,
  LINK_COMPACT_STATE: 14,
  LEND_STORAGE: 15,
  KEY_ADD: 16,
  KEY_REMOVE: 17,
  CHANNEL_UPDATE: 18,
  CHANNEL_MEMBER: 19,
  CHANNEL_PIN: 20,
  CHANNEL_MODERATE: 21,
} as const

const bodyNames = [
  'castAdd',
  'castRemove',
  'reaction',
  'verificationAdd',
  'verificationRemove',
  'userData',
  'link',
  'usernameProof',
  'frameAction',
  'linkCompactState',
  'lendStorage',
  'keyAdd',
  'keyRemove',
  'channelUpdate',
  'channelMember',
  'channelPin',
  'channelModerate',
] as const

export type BodyName = (typeof bodyNames)[number]

/** Whether a number is one of the channel types. */
export function isChannelType(type: number): boolean {
  return type >= Type.CHANNEL_UPDATE && type <= Type.CHANNEL_MODERATE
}

/** The kind of body that belongs to a type; null for types without one. */
export function bodyOfType(type: number): BodyName | null {
  const names: Readonly<Record<number, BodyName>> = {
    1: 'castAdd',
    2: 'castRemove',
    3: 'reaction',
    4: 'reaction',
    5: 'link',
    6: 'link',
    7: 'verificationAdd',
    8: 'verificationRemove',
    11: 'userData',
    12: 'usernameProof',
    13: 'frameAction',
    14: 'linkCompactState',
    15: 'lendStorage',
    16: 'keyAdd',
    17: 'keyRemove',
    18: 'channelUpdate',
    19: 'channelMember',
    20: 'channelPin',
    21: 'channelModerate',
  }
  return names[type] ?? null
}

/** A message as the judge reads it. Numbers of 64 bits are BigInt. */
export interface Envelope {
  /** Undefined when there is none, or when `data_bytes` do not decode. */
  readonly data: Data | undefined
  /** What the hash covers. */
  readonly hashed: Uint8Array
  /** Whether `data_bytes` are present and empty. */
  readonly hasEmptyDataBytes: boolean
  readonly hasDataBytes: boolean
  readonly hash: Uint8Array
  readonly hashScheme: number
  readonly signature: Uint8Array
  readonly signatureScheme: number
  readonly signer: Uint8Array
}

/** `MessageData` with the body that counts. */
export interface Data {
  readonly type: number
  readonly fid: bigint
  readonly timestamp: number
  readonly network: number
  readonly body: { readonly name: BodyName; readonly value: Decoded } | undefined
}

const none = new Uint8Array(0)

/**
 * Reads an encoded message.
 * @throws WireError when the outer message does not decode.
 */
export function readEnvelope(bytes: Uint8Array): Envelope {
  const outer = decode(EnvelopeSpec, bytes)
  const dataBytes = outer.dataBytes as Uint8Array | undefined
  const hasContent = dataBytes !== undefined && dataBytes.length > 0
  const data = hasContent ? tryDecode(dataBytes) : (outer.data as Decoded | undefined)
  return {
    data: data === undefined ? undefined : toData(data),
    hashed: dataBytes ?? (data === undefined ? none : encode(MessageDataSpec, data)),
    hasEmptyDataBytes: dataBytes !== undefined && dataBytes.length === 0,
    hasDataBytes: dataBytes !== undefined,
    hash: outer.hash as Uint8Array,
    hashScheme: outer.hashScheme as number,
    signature: outer.signature as Uint8Array,
    signatureScheme: outer.signatureScheme as number,
    signer: outer.signer as Uint8Array,
  }
}

function tryDecode(bytes: Uint8Array): Decoded | undefined {
  try {
    return decode(MessageDataSpec, bytes)
  } catch {
    return undefined
  }
}

function toData(data: Decoded): Data {
  const name = bodyNames.find((body) => data[body] !== undefined)
  return {
    type: data.type as number,
    fid: data.fid as bigint,
    timestamp: data.timestamp as number,
    network: data.network as number,
    body: name === undefined ? undefined : { name, value: data[name] as Decoded },
  }
}

/** The hash of a message: the first 20 bytes of BLAKE3. */
export function hashOf(bytes: Uint8Array): Uint8Array {
  return blake3(bytes, { dkLen: 20 })
}

/** Hexadecimal, without a prefix. */
export function hex(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('hex')
}

/** A fid as all store keys have it: its low 32 bits. */
export function shortFid(fid: bigint): number {
  return Number(BigInt.asUintN(32, fid))
}

/** Whether the outer message decodes. */
export function isReadable(bytes: Uint8Array): boolean {
  try {
    readEnvelope(bytes)
    return true
  } catch {
    return false
  }
}
