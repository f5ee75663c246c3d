import { Logger } from 'graphile-worker'
import type { Log } from '../../../platform/log/log.js'

/** Lets the job queue write into our log. Each job that begins and ends is worth no line. */
export function jobLogger(log: Log): Logger {
  return new Logger((scope) => (level, message) => {
    const fields = { ...(scope.label === undefined ? {} : { part: scope.label }) }
    if (level === 'error') log.error(fields, message)
    else if (level === 'warning') log.warn(fields, message)
    else log.debug(fields, message)
  })
}
