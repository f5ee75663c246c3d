/** Unix seconds of 2021-01-01T00:00:00Z, where Farcaster time begins (docs/protocol.md §3.2). */
const FARCASTER_EPOCH_UNIX_SECONDS = 1_609_459_200

/** How far ahead of the clock a message's timestamp may be, in seconds (docs/protocol.md §3.2). */
export const ALLOWED_CLOCK_SKEW_SECONDS = 600

/** Unix milliseconds (`Date.now()`) to Farcaster seconds, rounded down: a second counts once it has passed. */
export function farcasterSecondsFromUnixMs(unixMs: number): number {
  return Math.floor(unixMs / 1000) - FARCASTER_EPOCH_UNIX_SECONDS
}

/** Unix seconds to Farcaster seconds; negative before 2021. */
export function farcasterSecondsFromUnixSeconds(unixSeconds: number): number {
  return unixSeconds - FARCASTER_EPOCH_UNIX_SECONDS
}

/** Farcaster seconds to Unix seconds. */
export function unixSecondsFromFarcasterSeconds(farcasterSeconds: number): number {
  return farcasterSeconds + FARCASTER_EPOCH_UNIX_SECONDS
}

/** Farcaster seconds to Unix milliseconds, what `new Date()` takes. */
export function unixMsFromFarcasterSeconds(farcasterSeconds: number): number {
  return (farcasterSeconds + FARCASTER_EPOCH_UNIX_SECONDS) * 1000
}
