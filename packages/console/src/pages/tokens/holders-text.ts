import { formatCount } from '../../parts/format'

/** The server counts no further. */
const MAX_COUNTED_HOLDERS = 10_001

/** Holders, which are counted up to a bound. */
export function holdersText(holders: number): string {
  return holders >= MAX_COUNTED_HOLDERS ? 'over 10,000' : formatCount(holders)
}
