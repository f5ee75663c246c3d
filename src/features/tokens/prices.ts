/** What a token is worth. */
export interface Price {
  /** Dollars for a unit. */
  readonly usd: number
  /** How many trades away from a dollar: 0 for a dollar itself. */
  readonly rank: number
}

/** A token in a trade, in its units. */
export interface TradedAmount {
  readonly tokenId: number
  readonly amount: number
}

/**
 * Values a trade by the token whose price is nearer to a dollar, and prices the other one by it. So a dollar's price
 * stands, and no two tokens price each other in a circle.
 *
 * @param prices by token; the price that the trade makes is put in.
 * @returns dollars; null where neither token has a price.
 */
export function valueTrade(
  prices: Map<number, Price>,
  sold: TradedAmount,
  bought: TradedAmount,
): number | null {
  const [ofSold, ofBought] = [prices.get(sold.tokenId), prices.get(bought.tokenId)]
  if (ofSold === undefined && ofBought === undefined) return null
  const bySold = ofBought === undefined || (ofSold !== undefined && ofSold.rank <= ofBought.rank)
  const [known, by, other, ofOther] = bySold
    ? ([ofSold!, sold, bought, ofBought] as const)
    : ([ofBought, bought, sold, ofSold] as const)
  const usd = known.usd * by.amount
  const isNearer = ofOther === undefined || known.rank < ofOther.rank
  if (isNearer && other.amount > 0) {
    prices.set(other.tokenId, { usd: usd / other.amount, rank: known.rank + 1 })
  }
  return usd
}
