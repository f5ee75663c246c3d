import { blake3 } from '@noble/hashes/blake3'

/** Length of a message hash in bytes. */
export const HASH_BYTES = 20

/** Computes a message hash: the first 20 bytes of BLAKE3 over `dataBytes` (docs/protocol.md §3.2). */
export function messageHash(dataBytes: Uint8Array): Buffer {
  const hash = blake3(dataBytes, { dkLen: HASH_BYTES })
  return Buffer.from(hash.buffer, hash.byteOffset, hash.byteLength)
}
