import { blake3 } from '@noble/hashes/blake3'

/** Length of a message hash in bytes. */
export const HASH_BYTES = 20

/** The first `sizeBytes` bytes of BLAKE3 over `bytes`. */
export function hashBytes(bytes: Uint8Array, sizeBytes: number): Buffer {
  const hash = blake3(bytes, { dkLen: sizeBytes })
  return Buffer.from(hash.buffer, hash.byteOffset, hash.byteLength)
}

/** A message's hash: 20 bytes of BLAKE3 over its `dataBytes` (the protocol notes, hub.md §3.2). */
export function messageHash(dataBytes: Uint8Array): Buffer {
  return hashBytes(dataBytes, HASH_BYTES)
}
