import { parseStorableTime } from '../platform/text/parse-iso-time.js'
import { invalidField } from './invalid-field.js'

/** A date, which is UTC, or a time with its zone: a client may mean its own without one. */
const timeForm = /^\d{4}-\d\d-\d\d(?:T\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?(?:Z|[+-]\d\d:\d\d))?$/

/**
 * Reads a time of a request.
 *
 * @throws PlazaError 400 that names the parameter, also for a date that does not exist, and for a time that PostgreSQL does not read.
 */
export function parseTime(property: string, text: string): Date {
  const time = timeForm.test(text) ? parseStorableTime(text) : null
  if (time !== null) return time
  throw invalidField(property, 'must be a time like 2026-11-01T00:00:00Z')
}
