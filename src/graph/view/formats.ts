/** Bytes as the API writes them: `0x` and lower-case hex. */
export function prefixedHex(bytes: Buffer): string {
  return `0x${bytes.toString('hex')}`
}

/**
 * A moment as the API writes it: `2024-11-01T12:00:00.000Z`.
 *
 * @param unixSeconds Not Farcaster seconds.
 */
export function dateTimeOf(unixSeconds: number): string {
  return new Date(unixSeconds * 1000).toISOString()
}
