/** Unix seconds of 2021-01-01T00:00:00Z, the Farcaster epoch (docs/protocol.md §3.2). */
export const FARCASTER_EPOCH_UNIX_SECONDS = 1_609_459_200

/** Most seconds that a timestamp may be ahead of the clock (docs/protocol.md §3.2). */
export const ALLOWED_CLOCK_SKEW_SECONDS = 600

/** Converts Unix milliseconds to Farcaster seconds, rounded down. */
export function farcasterSecondsFromUnixMs(unixMs: number): number {
  return Math.floor(unixMs / 1000) - FARCASTER_EPOCH_UNIX_SECONDS
}

/** Converts Unix seconds to Farcaster seconds; negative before 2021. */
export function farcasterSecondsFromUnixSeconds(unixSeconds: number): number {
  return unixSeconds - FARCASTER_EPOCH_UNIX_SECONDS
}

/** Converts Farcaster seconds to Unix seconds. */
export function unixSecondsFromFarcasterSeconds(farcasterSeconds: number): number {
  return farcasterSeconds + FARCASTER_EPOCH_UNIX_SECONDS
}

/** Converts Farcaster seconds to Unix milliseconds. */
export function unixMsFromFarcasterSeconds(farcasterSeconds: number): number {
  return (farcasterSeconds + FARCASTER_EPOCH_UNIX_SECONDS) * 1000
}
