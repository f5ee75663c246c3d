import type { CastId } from '@farcaster/core'
import { u64be } from '../bytes.js'
import { HASH_BYTES } from '../hash.js'

/** The rule that a cast id breaks (docs/protocol.md §3.3.3), or null. */
export function validateCastId(castId: CastId): string | null {
  if (castId.fid === 0) return 'fid is missing'
  return validateCastHash(castId.hash)
}

/** The rule that the hash of a cast breaks, or null. */
export function validateCastHash(hash: Uint8Array): string | null {
  return hash.length === HASH_BYTES ? null : 'hash is missing'
}

/** fid (8 bytes, big-endian) ‖ hash (20 bytes): a cast id as bytes that sort by fid. */
export function castIdBytes(castId: CastId): Buffer {
  return Buffer.concat([u64be(castId.fid), castId.hash])
}
