import { parseIsoTime } from '../platform/text/parse-iso-time.js'
import { invalidField } from './invalid-field.js'

const MAX_YEAR = 9_999
/** A date, which is UTC, or a time with its zone: without one it would be that of the process. */
const timeForm = /^\d{4}-\d\d-\d\d(?:T\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?(?:Z|[+-]\d\d:\d\d))?$/

/**
 * Reads a time of a request.
 *
 * @throws PlazaError 400 that names the parameter, also for a date that does not exist, and for a time that PostgreSQL does not read: one in the year 0, or, as
 * `Date` writes it, in a year of five digits. An offset may move a time there.
 */
export function parseTime(property: string, text: string): Date {
  const time = new Date((timeForm.test(text) ? parseIsoTime(text) : null) ?? Number.NaN)
  const year = time.getUTCFullYear()
  if (year >= 1 && year <= MAX_YEAR) return time
  throw invalidField(property, 'must be a time like 2026-11-01T00:00:00Z')
}
