import bs58 from 'bs58'
import { asBuffer } from '../../../protocol/bytes.js'

/** Encodes standard base64 with padding: signatures and a few exceptions (docs/protocol.md §1.1). */
export function base64(bytes: Uint8Array): string {
  return asBuffer(bytes).toString('base64')
}

/** Encodes Bitcoin's base58: addresses and block hashes of Solana. */
export function base58(bytes: Uint8Array): string {
  return bs58.encode(bytes)
}

/** Decodes text in bytes, such as a username. Invalid UTF-8 becomes replacement characters. */
export function utf8(bytes: Uint8Array): string {
  return asBuffer(bytes).toString('utf8')
}
