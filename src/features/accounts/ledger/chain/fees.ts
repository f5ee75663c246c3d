import type { GasPrice } from './wallet-rpc.js'

/** Fees per unit of gas in wei: the maximum, and the part for the block producer. */
export interface Fees {
  readonly maxFee: bigint
  readonly tip: bigint
}

/** Multiple of the base fee to offer. It grows by at most an eighth per block (EIP-1559). */
const HEADROOM = 2n

/**
 * Computes the fees of a new transaction.
 *
 * @param maxAllowed Highest fee per unit of gas.
 * @returns Null while the network requires more.
 */
export function newFees({ base, tip }: GasPrice, maxAllowed: bigint): Fees | null {
  if (base > maxAllowed) return null
  const maxFee = minBigint(HEADROOM * base + tip, maxAllowed)
  return { maxFee, tip: minBigint(tip, maxFee) }
}

/**
 * Computes the fees of a replacement: a tenth more of both, as nodes require.
 *
 * @returns Null when that exceeds the allowed fee.
 */
export function replacementFees(previous: Fees, price: GasPrice, maxAllowed: bigint): Fees | null {
  const suggested = newFees(price, maxAllowed)
  if (suggested === null) return null
  const maxFee = maxBigint(suggested.maxFee, raisedByEighth(previous.maxFee))
  const tip = maxBigint(suggested.tip, raisedByEighth(previous.tip))
  return maxFee > maxAllowed || tip > maxFee ? null : { maxFee, tip }
}

function raisedByEighth(fee: bigint): bigint {
  return fee + fee / 8n + 1n
}

/** Returns the smaller amount. */
export function minBigint(a: bigint, b: bigint): bigint {
  return a < b ? a : b
}

function maxBigint(a: bigint, b: bigint): bigint {
  return a > b ? a : b
}
