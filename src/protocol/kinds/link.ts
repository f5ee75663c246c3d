import { u64be } from '../bytes.js'
import { type LinkBody, type LinkCompactStateBody, MessageType } from '../definitions.js'
import { type MessageKind, MessageSet } from '../message-kind.js'
import { optional, repeatedField, schema, single } from '../wire-schema.js'

const MAX_LINK_TYPE_BYTES = 8
const MAX_COMPACT_STATE_BYTES = 65_536
const LINK = Buffer.of(1)
const COMPACT_STATE = Buffer.of(0)
const END_OF_TYPE = Buffer.of(0)

const link = {
  set: MessageSet.links,
  bodyName: 'linkBody',
  wire: { field: 14, schema: schema({ 1: single('string'), 2: optional('uint32'), 3: optional('uint64') }) },
  validate: validateLink,
  conflictKey: (body: LinkBody) => linkKey(body.type, body.targetFid ?? 0),
} as const

/** LINK_ADD: a relation to another user, such as a follow or a block. */
export const linkAdd: MessageKind<LinkBody> = { ...link, type: MessageType.LINK_ADD, side: 'add' }

/** LINK_REMOVE: ends a relation to another user. */
export const linkRemove: MessageKind<LinkBody> = { ...link, type: MessageType.LINK_REMOVE, side: 'remove' }

/** LINK_COMPACT_STATE: all links of one type in one message (docs/protocol.md §4.3). */
export const linkCompactState: MessageKind<LinkCompactStateBody> = {
  type: MessageType.LINK_COMPACT_STATE,
  set: MessageSet.links,
  side: 'compact',
  bodyName: 'linkCompactStateBody',
  wire: { field: 17, schema: schema({ 1: single('string'), 2: repeatedField('uint64') }) },
  maxDataBytes: MAX_COMPACT_STATE_BYTES,
  validate: validateLinkCompactState,
  conflictKey: (body) => compactKey(body.type),
}

/** Returns the rule that a link breaks (docs/protocol.md §3.3.5), or null. */
function validateLink(body: LinkBody): string | null {
  const fault = validateLinkType(body.type)
  if (fault !== null) return fault
  if (body.targetFid === undefined) return 'target is missing'
  return body.targetFid === 0 ? 'fid is missing' : null
}

function validateLinkCompactState(body: LinkCompactStateBody): string | null {
  const fault = validateLinkType(body.type)
  if (fault !== null) return fault
  if (body.targetFids.length === 0) return 'target is missing'
  return body.targetFids.includes(0) ? 'fid is missing' : null
}

/** Returns the rule that a link type breaks, or null: any text of 1 to 8 bytes. */
function validateLinkType(type: string): string | null {
  const sizeBytes = Buffer.byteLength(type)
  return sizeBytes < 1 || sizeBytes > MAX_LINK_TYPE_BYTES ? 'type must be between 1-8 characters' : null
}

/** Returns the conflict key of a link: `0x01` ‖ type ‖ `0x00` ‖ target fid (docs/protocol.md §4.1). */
export function linkKey(type: string, targetFid: number): Buffer {
  return Buffer.concat([LINK, Buffer.from(type), END_OF_TYPE, u64be(targetFid)])
}

/** Returns the conflict key of a compact state: `0x00` ‖ type. */
export function compactKey(type: string): Buffer {
  return Buffer.concat([COMPACT_STATE, Buffer.from(type)])
}
