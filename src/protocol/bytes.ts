/** Length of an Ethereum address in bytes. */
export const ETH_ADDRESS_BYTES = 20

/** Encodes an unsigned integer up to 2^53-1 as eight bytes, big-endian: bytes sort like numbers. */
export function u64be(value: number): Buffer {
  const bytes = Buffer.allocUnsafe(8)
  bytes.writeUInt32BE(Math.floor(value / 0x1_0000_0000), 0)
  bytes.writeUInt32BE(value >>> 0, 4)
  return bytes
}

/** Returns the bytes of a decoded protobuf field as a Buffer over the same memory. */
export function asBuffer(bytes: Uint8Array): Buffer {
  return Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
}

/** Encodes bytes as `0x` and lower-case hex. */
export function hexOf(bytes: Uint8Array): `0x${string}` {
  return `0x${asBuffer(bytes).toString('hex')}`
}

/** Decodes `0x` and hex. */
export function bytesOfHex(hex: string): Buffer {
  return Buffer.from(hex.slice(2), 'hex')
}

/** Decodes the hash of a cast: hex, with or without 0x. */
export function castHashBytes(hash: string): Buffer {
  return Buffer.from(hash.replace(/^0x/i, ''), 'hex')
}
