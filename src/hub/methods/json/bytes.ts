import bs58 from 'bs58'
import { asBuffer } from '../../../protocol/bytes.js'

/** Standard base64 with padding: signatures and a few oddities (docs/protocol.md §1.1). */
export function base64(bytes: Uint8Array): string {
  return asBuffer(bytes).toString('base64')
}

/** Bitcoin's base 58: addresses and block hashes of Solana. */
export function base58(bytes: Uint8Array): string {
  return bs58.encode(bytes)
}

/** Text that travels as bytes, such as names. Broken UTF-8 shows as replacement characters. */
export function utf8(bytes: Uint8Array): string {
  return asBuffer(bytes).toString('utf8')
}
