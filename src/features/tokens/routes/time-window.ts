import { choiceParameter } from '../../../api/parameters.js'

const HOUR = 3_600
const seconds = { '1h': HOUR, '6h': 6 * HOUR, '12h': 12 * HOUR, '24h': 24 * HOUR, '7d': 168 * HOUR } as const

/** How far back. */
export type TimeWindow = keyof typeof seconds

/** How far back it is looked. */
export const timeWindowParameter = choiceParameter(['1h', '6h', '12h', '24h', '7d'], {
  default: '24h',
  description: 'How far back it is looked.',
})

/**
 * When a window begins, in Unix seconds.
 *
 * @param nowMs Unix milliseconds.
 */
export function windowStart(window: TimeWindow, nowMs: number): number {
  return Math.floor(nowMs / 1000) - seconds[window]
}
