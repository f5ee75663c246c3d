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
 * @param bound The most that may be offered for a unit of gas.
 * @returns null while the network asks for more than that.
 */
export function offer({ base, tip }: GasPrice, bound: bigint): Fees | null {
  if (base > bound) return null
  const maxFee = smaller(HEADROOM * base + tip, bound)
  return { maxFee, tip: smaller(tip, maxFee) }
}

/**
 * The fees for a transaction in the place of one that nobody takes. Nodes ask for a tenth more, of both.
 *
 * @returns null when that is more than may be offered.
 */
export function raise(former: Fees, price: GasPrice, bound: bigint): Fees | null {
  const wanted = offer(price, bound)
  if (wanted === null) return null
  const maxFee = larger(wanted.maxFee, anEighthMore(former.maxFee))
  const tip = larger(wanted.tip, anEighthMore(former.tip))
  return maxFee > bound || tip > maxFee ? null : { maxFee, tip }
}

function anEighthMore(fee: bigint): bigint {
  return fee + fee / 8n + 1n
}

/** The smaller one of two amounts. */
export function smaller(a: bigint, b: bigint): bigint {
  return a < b ? a : b
}

function larger(a: bigint, b: bigint): bigint {
  return a > b ? a : b
}
