const P = 2n ** 255n - 19n
const D = 37095705934669439343138083508754565189542113879843219016388785533085940283555n

/**
 * Returns true if 32 bytes encode a point of Ed25519, canonical or not. The reference node tells a signer that is
 * none from a wrong signature. Takes 0.3 ms: only for signatures that failed.
 */
export function isCurvePoint(encoded: Uint8Array): boolean {
  const bigEndian = Buffer.from(encoded).reverse()
  bigEndian[0]! &= 0x7f
  const y = BigInt(`0x${bigEndian.toString('hex')}`) % P
  const square = (y * y) % P
  // x^2 = (y^2 - 1) / (d y^2 + 1): a point if that is a square, by Euler's criterion.
  const quotient = ((square + P - 1n) * (D * square + 1n)) % P
  return quotient === 0n || power(quotient, (P - 1n) / 2n) === 1n
}

function power(base: bigint, exponent: bigint): bigint {
  let result = 1n
  let square = base
  for (let rest = exponent; rest > 0n; rest >>= 1n) {
    if (rest & 1n) result = (result * square) % P
    square = (square * square) % P
  }
  return result
}
