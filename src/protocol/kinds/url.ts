const MAX_URL_BYTES = 256

/**
 * The rule that a URL of a parent, a target or an embed breaks (docs/protocol.md §3.3.3), or null.
 * Only its length counts: CAIP identifiers and anything else pass.
 */
export function validateUrl(url: string): string | null {
  const sizeBytes = Buffer.byteLength(url)
  if (sizeBytes < 1) return 'url < 1 byte'
  return sizeBytes > MAX_URL_BYTES ? 'url > 256 bytes' : null
}
