const WORD_BYTES = 32
const ADDRESS_BYTES = 20

/** Converts an address (`0x` and 40 hex digits) to the 32-byte ABI word that the key registry stores. */
export function addressKey(address: string): Buffer {
  return Buffer.concat([Buffer.alloc(WORD_BYTES - ADDRESS_BYTES), Buffer.from(address.slice(2), 'hex')])
}
