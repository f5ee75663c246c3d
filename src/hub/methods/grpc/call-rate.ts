import { PlazaError } from '../../../platform/errors.js'

const MINUTE_MS = 60_000
/** Addresses whose calls are counted at once; the least recent are forgotten first. */
const MAX_ADDRESSES = 10_000

/** Counts a call of this address. Throws PlazaError `bad_request.rate_limited` when it was one too many. */
export type CountCall = (address: string) => void

/**
 * Counts calls by address, each in minutes that begin with its first call, as over HTTP.
 *
 * @param perMinute 0 is no limit.
 */
export function limitCalls(perMinute: number, clock: () => number): CountCall {
  if (perMinute === 0) return () => {}
  const counts = new Map<string, { since: number; calls: number }>()
  return (address) => {
    const now = clock()
    const known = counts.get(address)
    const count = known && now - known.since < MINUTE_MS ? known : { since: now, calls: 0 }
    count.calls += 1
    counts.delete(address)
    counts.set(address, count)
    if (counts.size > MAX_ADDRESSES) counts.delete(counts.keys().next().value!)
    if (count.calls <= perMinute) return
    const seconds = Math.ceil((count.since + MINUTE_MS - now) / 1000)
    throw new PlazaError(
      'bad_request.rate_limited',
      `more than ${perMinute} calls a minute; try again in ${seconds} seconds`,
    )
  }
}
