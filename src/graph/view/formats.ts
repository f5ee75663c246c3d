/**
 * A time in the form of the API: `2024-11-01T12:00:00.000Z`.
 *
 * @param unixSeconds Unix seconds, not Farcaster seconds.
 */
export function dateTimeOf(unixSeconds: number): string {
  return new Date(unixSeconds * 1000).toISOString()
}
