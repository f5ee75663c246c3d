import type { MessageData, MessageType } from './definitions.js'
import { castAdd, castRemove } from './kinds/cast.js'
import {
  type ChannelBody,
  channelMember,
  channelModerate,
  channelPin,
  channelUpdate,
} from './kinds/channel.js'
import { frameAction } from './kinds/frame-action.js'
import { keyAdd, keyRemove } from './kinds/key.js'
import { lendStorage } from './kinds/lend-storage.js'
import { linkAdd, linkCompactState, linkRemove } from './kinds/link.js'
import { reactionAdd, reactionRemove } from './kinds/reaction.js'
import { userDataAdd } from './kinds/user-data-add.js'
import { usernameProof } from './kinds/username-proof.js'
import { verificationAdd, verificationRemove } from './kinds/verification.js'
import type { SignedMessage } from './message.js'
import { type BodyName, bodyOf, type MessageKind, MessageSet } from './message-kind.js'
import { schema, single } from './wire-schema.js'

/** A kind of unknown body type. Pass its functions only what `bodyOf` returned for it. */
export type AnyMessageKind = MessageKind<unknown>

/**
 * All message types. A new type is an entry in `kinds/` and a line here; `shard.ts`, `key-rules.ts` and the hub's
 * `message-target.ts` list types as well, which their tests compare with this list.
 */
export const messageKinds = [
  castAdd,
  castRemove,
  reactionAdd,
  reactionRemove,
  linkAdd,
  linkRemove,
  linkCompactState,
  verificationAdd,
  verificationRemove,
  userDataAdd,
  usernameProof,
  frameAction,
  lendStorage,
  keyAdd,
  keyRemove,
  channelUpdate,
  channelMember,
  channelPin,
  channelModerate,
] as readonly AnyMessageKind[]

const byType: (AnyMessageKind | undefined)[] = []
for (const kind of messageKinds) byType[kind.type] = kind

/** Returns the kind of a message type; undefined for an unknown type. */
export function kindOf(type: MessageType): AnyMessageKind | undefined {
  return byType[type]
}

/** Returns the kind of a message that carries the body of its type; undefined for all others. */
export function typedKindOf(data: MessageData): AnyMessageKind | undefined {
  const kind = kindOf(data.type)
  return kind !== undefined && data[kind.bodyName] !== undefined ? kind : undefined
}

/** Returns true for the types of channel messages, whose slots all users share (docs/protocol.md §7.1.4). */
export function isChannelType(type: MessageType): boolean {
  return kindOf(type)?.set === MessageSet.channels
}

/** Returns the body of a channel message; null for others. */
export function channelBodyOf({ data }: SignedMessage): ChannelBody | null {
  const kind = typedKindOf(data)
  return kind && isChannelType(data.type) ? ((bodyOf(kind, data) as ChannelBody | undefined) ?? null) : null
}

/** Every member of `MessageData` that holds a body, each once. */
const bodyNames: readonly BodyName[] = [...new Set(messageKinds.map(({ bodyName }) => bodyName))]

const bodies = {
  ...Object.fromEntries(messageKinds.map(({ wire }) => [wire.field, single(wire.schema)])),
}

/** The wire form of `MessageData`. All bodies are members of one `oneof` (docs/protocol.md §3.1). */
export const messageDataSchema = schema(
  { 1: single('int32'), 2: single('uint64'), 3: single('uint32'), 4: single('int32'), ...bodies },
  [Object.keys(bodies).map(Number)],
)

/** One kind for each body, which has the rules of the body. */
const bodyKinds = bodyNames.map((name) => messageKinds.find(({ bodyName }) => bodyName === name)!)

/** Returns the kind whose body a message carries, whatever its type; undefined if it carries none. */
export function bodyKindOf(data: MessageData): AnyMessageKind | undefined {
  return typedKindOf(data) ?? bodyKinds.find(({ bodyName }) => data[bodyName] !== undefined)
}
