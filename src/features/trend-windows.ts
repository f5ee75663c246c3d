import { HOUR_SECONDS } from '../platform/durations.js'

/** The time windows that lists of what trends are asked for: their length in seconds. */
export const trendWindows = {
  '1h': HOUR_SECONDS,
  '6h': 6 * HOUR_SECONDS,
  '12h': 12 * HOUR_SECONDS,
  '24h': 24 * HOUR_SECONDS,
  '7d': 168 * HOUR_SECONDS,
} as const
export type TrendWindow = keyof typeof trendWindows
export const trendWindowNames = Object.keys(trendWindows) as TrendWindow[]
