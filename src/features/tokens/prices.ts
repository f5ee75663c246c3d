/** The price of a token. */
export interface Price {
  /** Dollars per unit. */
  readonly usd: number
  /** Trades between the token and a dollar: 0 for dollar tokens. */
  readonly rank: number
}

/** An amount of a token in a trade, in units. */
export interface TradedAmount {
  readonly tokenId: number
  readonly amount: number
}

/**
 * Values a trade by the token whose price is nearer to a dollar, and prices the other token by it.
 *
 * So dollar prices never change, and no two tokens price each other in a circle.
 *
 * @param prices By token; receives the new price.
 * @returns Dollars; null when neither token has a price.
 */
export function valueTrade(
  prices: Map<number, Price>,
  sold: TradedAmount,
  bought: TradedAmount,
): number | null {
  const [soldPrice, boughtPrice] = [prices.get(sold.tokenId), prices.get(bought.tokenId)]
  if (soldPrice === undefined && boughtPrice === undefined) return null
  const isSoldReference =
    boughtPrice === undefined || (soldPrice !== undefined && soldPrice.rank <= boughtPrice.rank)
  const [referencePrice, referenceAmount, other, otherPrice] = isSoldReference
    ? ([soldPrice!, sold, bought, boughtPrice] as const)
    : ([boughtPrice, bought, sold, soldPrice] as const)
  const usd = referencePrice.usd * referenceAmount.amount
  const isNearer = otherPrice === undefined || referencePrice.rank < otherPrice.rank
  if (isNearer && other.amount > 0) {
    prices.set(other.tokenId, { usd: usd / other.amount, rank: referencePrice.rank + 1 })
  }
  return usd
}
