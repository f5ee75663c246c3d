const WORD_BYTES = 32
const ADDRESS_BYTES = 20

/** An address (`0x` and 40 hex digits) as the key registry has it: an ABI word. */
export function addressKey(address: string): Buffer {
  return Buffer.concat([Buffer.alloc(WORD_BYTES - ADDRESS_BYTES), Buffer.from(address.slice(2), 'hex')])
}
