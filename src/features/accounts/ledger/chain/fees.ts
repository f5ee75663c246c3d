import type { GasPrice } from './wallet-rpc.js'

/** What a transaction offers for a unit of gas, in wei: at most, and of it to whoever makes the block. */
export interface Fees {
  readonly maxFee: bigint
  readonly tip: bigint
}

/** The base fee may double before a transaction is too cheap: it grows by an eighth a block at most (EIP-1559). */
const HEADROOM = 2n

/**
 * The fees for a new transaction.
 *
 * @param maxAllowed The most that may be offered for a unit of gas.
 * @returns null while the network asks for more than that.
 */
export function newFees({ base, tip }: GasPrice, maxAllowed: bigint): Fees | null {
  if (base > maxAllowed) return null
  const maxFee = minBigint(HEADROOM * base + tip, maxAllowed)
  return { maxFee, tip: minBigint(tip, maxFee) }
}

/**
 * The fees for a transaction in the place of one that nobody takes. Nodes ask for a tenth more, of both.
 *
 * @returns null when that is more than may be offered.
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

/** The smaller one of two amounts. */
export function minBigint(a: bigint, b: bigint): bigint {
  return a < b ? a : b
}

function maxBigint(a: bigint, b: bigint): bigint {
  return a > b ? a : b
}
