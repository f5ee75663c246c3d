import { asBuffer } from '../bytes.js'
import {
  CastingMode,
  ChannelMemberAction,
  type ChannelMemberBody,
  ChannelModerateAction,
  type ChannelModerateBody,
  type ChannelPinBody,
  type ChannelUpdateBody,
  MembershipMode,
  MessageType,
} from '../definitions.js'
import { HASH_BYTES } from '../hash.js'
import { type BodyName, type MessageKind, MessageSet } from '../message-kind.js'
import { optional, schema, single } from '../wire-schema.js'

/** Bytes of a channel's id, keccak256 of its key. */
export const CHANNEL_ID_BYTES = 32
/** Bytes of the fid by which the slots of members are keyed, and the largest fid that fits in them. */
export const MEMBER_SUBJECT_BYTES = 4
export const MAX_MEMBER_FID = 2 ** (8 * MEMBER_SUBJECT_BYTES) - 1

/** The reference node prints the code of these rules twice (docs/protocol.md §7.1.2). */
const fault = (text: string) => `bad_request.validation_failure/${text}`

/** A body of a channel message. */
export type ChannelBody = ChannelUpdateBody | ChannelMemberBody | ChannelPinBody | ChannelModerateBody

/** Returns the conflict key of a slot: its type, channel and, if it has one, its subject (docs/protocol.md §7.1.4). */
export function channelSlotKey(type: MessageType, channelId: Uint8Array, subject: Uint8Array): Buffer {
  return Buffer.concat([Buffer.of(type), channelId, subject])
}

/** Returns what distinguishes the slot of a member in its channel: the fid in `MEMBER_SUBJECT_BYTES`. */
export function memberSubject(fid: number): Buffer {
  const bytes = Buffer.alloc(MEMBER_SUBJECT_BYTES)
  bytes.writeUInt32BE(fid)
  return bytes
}

const noSubject = Buffer.alloc(0)

/** Returns what distinguishes the slot of a message from others of its type and channel; empty for one slot. */
export function channelSubject(body: ChannelBody, type: MessageType): Buffer {
  if (type === MessageType.CHANNEL_MEMBER) return memberSubject((body as ChannelMemberBody).fid)
  if (type === MessageType.CHANNEL_MODERATE) return asBuffer((body as ChannelModerateBody).castHash)
  return noSubject
}

const isKnown = (values: object, value: number) => Object.values(values).includes(value)

/** CHANNEL_UPDATE: replaces the metadata of a channel. Limits of all four: docs/protocol.md §7.1.2. */
export const channelUpdate = channelKind<ChannelUpdateBody>({
  type: MessageType.CHANNEL_UPDATE,
  bodyName: 'channelUpdateBody',
  wire: {
    field: 21,
    schema: schema({
      1: single('bytes'),
      2: optional('string'),
      3: optional('string'),
      4: optional('string'),
      5: optional('string'),
      6: optional('string'),
      7: optional('int32'),
      8: optional('int32'),
    }),
  },
  validate({ castingMode = 0, membershipMode = 0 }) {
    if (!isKnown(CastingMode, castingMode)) return fault('invalid channel casting mode')
    return isKnown(MembershipMode, membershipMode) ? null : fault('invalid channel membership mode')
  },
})

/** CHANNEL_MEMBER: adds, removes or bans a member, or changes the role of one. */
export const channelMember = channelKind<ChannelMemberBody>({
  type: MessageType.CHANNEL_MEMBER,
  bodyName: 'channelMemberBody',
  wire: { field: 22, schema: schema({ 1: single('bytes'), 2: single('uint64'), 3: single('int32') }) },
  validate({ fid, action }) {
    if (fid < 1 || fid > MAX_MEMBER_FID) return fault('channel member fid must fit in a non-zero u32')
    const isAction = action !== ChannelMemberAction.NONE && isKnown(ChannelMemberAction, action)
    return isAction ? null : fault('invalid channel member action')
  },
})

/** CHANNEL_PIN: pins a cast in place of the one before; without a hash it unpins. */
export const channelPin = channelKind<ChannelPinBody>({
  type: MessageType.CHANNEL_PIN,
  bodyName: 'channelPinBody',
  wire: { field: 23, schema: schema({ 1: single('bytes'), 2: single('bytes') }) },
  validate({ castHash }) {
    if (castHash.length === 0 || castHash.length === HASH_BYTES) return null
    return fault('channel pin cast hash must be empty or 20 bytes')
  },
})

/** CHANNEL_MODERATE: hides a cast in the channel, or shows it again. */
export const channelModerate = channelKind<ChannelModerateBody>({
  type: MessageType.CHANNEL_MODERATE,
  bodyName: 'channelModerateBody',
  wire: { field: 24, schema: schema({ 1: single('bytes'), 2: single('bytes'), 3: single('int32') }) },
  validate({ castHash, action }) {
    if (castHash.length !== HASH_BYTES) return fault('channel moderate cast hash must be 20 bytes')
    const isAction = action !== ChannelModerateAction.NONE && isKnown(ChannelModerateAction, action)
    return isAction ? null : fault('invalid channel moderate action')
  },
})

interface ChannelKind<Body> {
  readonly type: MessageType
  readonly bodyName: BodyName
  readonly wire: MessageKind<Body>['wire']
  readonly validate: (body: Body) => string | null
}

/** Completes a kind with what all channel messages have. */
function channelKind<Body extends ChannelBody>({ validate, ...kind }: ChannelKind<Body>): MessageKind<Body> {
  return {
    ...kind,
    set: MessageSet.channels,
    side: 'add',
    validate: (body) =>
      body.channelId.length === CHANNEL_ID_BYTES ? validate(body) : fault('channel id must be 32 bytes'),
    conflictKey: (body) => channelSlotKey(kind.type, body.channelId, channelSubject(body, kind.type)),
  }
}
