const MAX_YEAR = 9_999
/** ISO 8601, also as databases export it: with a space for the `T`, or without the minutes of the zone. */
const timeForm =
  /^(?<date>\d{4}-\d\d-\d\d)(?:[T ](?<time>\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?)(?:Z|(?<hours>[+-]\d\d)(?::?(?<minutes>\d\d))?)?)?$/i

/**
 * Parses a date, or a date and a time, of ISO 8601 with a year of four digits. Without a zone it is UTC: `Date` takes a time for
 * one of the process.
 *
 * @returns Unix milliseconds; null for other texts and for a date that does not exist: `Date` reads 2026-02-30 as March 2.
 */
export function parseIsoTime(text: string): number | null {
  const { date, time = '00:00', hours, minutes = '00' } = timeForm.exec(text)?.groups ?? {}
  if (date === undefined) return null
  const dateMs = Date.parse(date)
  if (Number.isNaN(dateMs) || !new Date(dateMs).toISOString().startsWith(date)) return null
  const unixMs = Date.parse(`${date}T${time}${hours === undefined ? 'Z' : `${hours}:${minutes}`}`)
  return Number.isNaN(unixMs) ? null : unixMs
}

/**
 * Parses a time as `parseIsoTime` does, and refuses one that PostgreSQL does not read: in the year 0, or, as `Date` writes it, in a
 * year of five digits. A zone may move a time there.
 */
export function parseStorableTime(text: string): Date | null {
  const unixMs = parseIsoTime(text)
  if (unixMs === null) return null
  const time = new Date(unixMs)
  const year = time.getUTCFullYear()
  return year >= 1 && year <= MAX_YEAR ? time : null
}
