/**
 * Parses a date, or a date and a time, of ISO 8601 that begins with a year of four digits.
 *
 * @returns Unix milliseconds; null for other texts and for a date that does not exist: `Date` reads 2026-02-30 as March 2.
 */
export function parseIsoTime(text: string): number | null {
  const unixMs = Date.parse(text)
  const date = text.slice(0, 'yyyy-mm-dd'.length)
  const dateMs = Date.parse(date)
  const isReal =
    !Number.isNaN(unixMs) && !Number.isNaN(dateMs) && new Date(dateMs).toISOString().startsWith(date)
  return isReal ? unixMs : null
}
