import { InvalidArgumentError } from 'commander'
import { parseIsoTime } from '../platform/text/parse-iso-time.js'
import { UsageError } from './context.js'

/** Parses a whole number in an inclusive range. */
export function wholeNumber(minimum: number, maximum: number): (text: string) => number {
  return (text) => {
    const value = Number(text)
    if (!/^\d{1,16}$/.test(text) || value < minimum || value > maximum) {
      throw new InvalidArgumentError(`It must be a whole number from ${minimum} to ${maximum}.`)
    }
    return value
  }
}

/** Parses a fid. */
export const fid = wholeNumber(1, Number.MAX_SAFE_INTEGER)

/** Parses fids that are separated by commas. */
export function fids(text: string): number[] {
  return text.split(',').map((each) => fid(each.trim()))
}

/**
 * Parses `count` bytes in hex, with or without `0x`.
 *
 * @param flag The option, for the error. The value may be a private key, so the error must not repeat it, as
 * the parser of the command line would.
 */
export function hexBytes(count: number, flag: string): (text: string) => Buffer {
  return (text) => {
    const digits = text.replace(/^0x/i, '')
    if (digits.length !== count * 2 || !/^[0-9a-f]*$/i.test(digits)) {
      throw new UsageError(`${flag} must be ${count} bytes in hex`)
    }
    return Buffer.from(digits, 'hex')
  }
}

/** Parses a date or time of ISO 8601 as Unix seconds. Without a zone it is UTC, and a date is its start. */
export function moment(text: string): number {
  const unixMs = parseIsoTime(text)
  if (unixMs === null) throw new InvalidArgumentError('It must be a date such as 2026-01-31.')
  return Math.floor(unixMs / 1000)
}
