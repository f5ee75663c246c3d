import type { LinkBody } from '@farcaster/core'
import { u64be } from '../bytes.js'
import { schema, single } from '../wire-schema.js'

const MAX_LINK_TYPE_BYTES = 8
const LINK = Buffer.of(1)
const COMPACT_STATE = Buffer.of(0)
const END_OF_TYPE = Buffer.of(0)

/** Wire form of the body of a link. */
export const linkWire = {
  field: 14,
  schema: schema({ 1: single('string'), 2: single('uint32'), 3: single('uint64') }),
}

/** Returns the rule that a link breaks (docs/protocol.md §3.3.5), or null. */
export function validateLink(body: LinkBody): string | null {
  const fault = validateLinkType(body.type)
  if (fault !== null) return fault
  if (body.targetFid === undefined) return 'target is missing'
  return body.targetFid === 0 ? 'fid is missing' : null
}

/** Returns the rule that a link type breaks, or null: any text of 1 to 8 bytes. */
export function validateLinkType(type: string): string | null {
  const sizeBytes = Buffer.byteLength(type)
  return sizeBytes < 1 || sizeBytes > MAX_LINK_TYPE_BYTES ? 'type must be between 1-8 characters' : null
}

/**
 * Returns the conflict key of a link: `0x01` ‖ type ‖ `0x00` ‖ target fid. It sorts links by type
 * (docs/protocol.md §4.1).
 */
export function linkKey(type: string, targetFid: number): Buffer {
  return Buffer.concat([LINK, Buffer.from(type), END_OF_TYPE, u64be(targetFid)])
}

/** Returns the conflict key of a compact state: `0x00` ‖ type. */
export function compactKey(type: string): Buffer {
  return Buffer.concat([COMPACT_STATE, Buffer.from(type)])
}
