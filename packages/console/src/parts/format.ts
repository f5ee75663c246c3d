/**
 * The number in a field, null when that is empty. Mantine's field has `0600`, `600.` and more than 13 digits as a text; of more than
 * 308 it is the greatest number, as JSON has no infinity.
 */
export function enteredNumber(value: number | string): number | null {
  return value === '' ? null : Math.min(Number(value), Number.MAX_VALUE)
}

/** Formats a count, as in English: `12,345`. */
export function formatCount(count: number): string {
  return count.toLocaleString('en')
}

/** Formats a count at an axis, which may have steps of less than one: those have no text. */
export function formatTick(count: number): string {
  return Number.isInteger(count) ? formatCount(count) : ''
}

/** Formats bytes in the unit that fits: `1.5 MB`. */
export function formatBytes(bytes: number): string {
  const units = ['B', 'kB', 'MB', 'GB', 'TB']
  const size = Math.abs(bytes)
  const power = Math.min(units.length - 1, Math.floor(Math.log10(Math.max(size, 1)) / 3))
  return `${(bytes / 1_000 ** power).toFixed(power === 0 ? 0 : 1)} ${units[power]}`
}

const SECOND = 1_000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR

/** Formats milliseconds in their two largest units: `2 d 3 h`, `12 s`, `8 ms`. */
export function formatDuration(ms: number): string {
  if (ms > 0 && ms < SECOND) return `${Math.round(ms)} ms`
  if (ms < MINUTE) return `${Math.floor(ms / SECOND)} s`
  if (ms < HOUR) return `${Math.floor(ms / MINUTE)} min`
  const [large, small, names] = ms < DAY ? [HOUR, MINUTE, ['h', 'min']] : [DAY, HOUR, ['d', 'h']]
  const rest = Math.floor((ms % large) / small)
  return `${Math.floor(ms / large)} ${names[0]}${rest === 0 ? '' : ` ${rest} ${names[1]}`}`
}
