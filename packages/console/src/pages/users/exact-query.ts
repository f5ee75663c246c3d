import { fidOf } from '../../parts/fid'

/** Exact subject of a search text; null for names and words. */
export type ExactQuery =
  | { readonly kind: 'fid'; readonly fid: number }
  | { readonly kind: 'address'; readonly address: string }
  /** Both have twenty bytes. */
  | { readonly kind: 'hash or address'; readonly hash: string; readonly address: string }

/** Reads what a search text names. */
export function exactQuery(text: string): ExactQuery | null {
  const fid = fidOf(text)
  if (fid !== null) return { kind: 'fid', fid }
  if (/^(0x)?[\da-f]{40}$/i.test(text)) {
    const hex = `0x${text.replace(/^0x/i, '').toLowerCase()}`
    return { kind: 'hash or address', hash: hex, address: hex }
  }
  // Base58 of 32 bytes; a word of that length without a digit is a word.
  if (/^[1-9A-HJ-NP-Za-km-z]{32,44}$/.test(text) && /\d/.test(text)) return { kind: 'address', address: text }
  return null
}
