import { u64be } from '../bytes.js'
import type { CastId, Embed } from '../definitions.js'
import { HASH_BYTES } from '../hash.js'

const MAX_URL_BYTES = 256
const CAST = Buffer.of(1)
const URL_TEXT = Buffer.of(2)

/**
 * Returns the rule that a URL of a parent, target or embed breaks (docs/protocol.md §3.3.3), or null. Only
 * the length counts: CAIP identifiers and other texts pass.
 */
export function validateUrl(url: string): string | null {
  const sizeBytes = Buffer.byteLength(url)
  if (sizeBytes < 1) return 'url < 1 byte'
  return sizeBytes > MAX_URL_BYTES ? 'url > 256 bytes' : null
}

/** Returns the rule that a cast id breaks (docs/protocol.md §3.3.3), or null. */
export function validateCastId(castId: CastId): string | null {
  if (castId.fid === 0) return 'fid is missing'
  return validateCastHash(castId.hash)
}

/** Returns the rule that a cast hash breaks, or null. */
export function validateCastHash(hash: Uint8Array): string | null {
  return hash.length === HASH_BYTES ? null : 'hash is missing'
}

/** Encodes a cast id as fid (8 bytes, big-endian) ‖ hash (20 bytes): bytes that sort by fid. */
function castIdBytes(castId: CastId): Buffer {
  return Buffer.concat([u64be(castId.fid), castId.hash])
}

/** Encodes a cast or a URL: `0x01` ‖ fid ‖ hash of a cast, `0x02` ‖ UTF-8 of a URL. The cast counts if both are given. */
export function castOrUrlBytes({
  castId,
  url = '',
}: {
  readonly castId?: CastId | undefined
  readonly url?: string | undefined
}): Buffer {
  if (castId !== undefined) return Buffer.concat([CAST, castIdBytes(castId)])
  return Buffer.concat([URL_TEXT, Buffer.from(url)])
}

/** Returns the rule that an embed breaks (docs/protocol.md §3.3.3), or null: one URL or one cast id. */
export function validateEmbed(embed: Embed): string | null {
  // Decoded data has one of the two: only a message that is built here can have both.
  if (embed.url !== undefined && embed.castId !== undefined) return 'cannot use both url and castId'
  if (embed.url !== undefined) return validateUrl(embed.url)
  return embed.castId === undefined ? 'embed is missing' : validateCastId(embed.castId)
}
