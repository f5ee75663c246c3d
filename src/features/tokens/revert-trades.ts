import type { ChainName } from '../../hub/chain/chains.js'
import type { Transaction } from '../../platform/db/connection.js'
import { pricingTrades } from './trades.js'

/** Reverts the trades from this block on, and restores prices and ranks from the remaining trades. */
export async function revertTrades(db: Transaction, network: ChainName, fromBlock: number): Promise<void> {
  const reverted = await db<{ sold_id: number; bought_id: number }[]>`
    delete from tokens.trades
    where network = ${network} and block >= ${fromBlock}::bigint
    returning sold_id, bought_id
  `
  const ids = [...new Set(reverted.flatMap(({ sold_id, bought_id }) => [sold_id, bought_id]))]
  if (ids.length === 0) return
  await restorePrices(db, ids)
  await restoreRanks(db, ids)
}

async function restorePrices(db: Transaction, ids: readonly number[]): Promise<void> {
  await db`
    update tokens.tokens t
    set price_usd = last.usd / (last.amount / 10::numeric ^ t.decimals)::float8,
        price_rank = case when last.usd is null then null else t.price_rank end,
        priced_at = last.traded_at
    from tokens.tokens requested
    left join lateral (
      select usd, amount, traded_at
      from (${pricingTrades(db, db`requested.id`)}) priced
      order by block desc, log_index desc
      limit 1
    ) last on true
    where requested.id = any (${[...ids]}::integer[]) and t.id = requested.id and not t.is_dollar
  `
}

/** A token of reverted trades, and one that it was traded for in a remaining trade. */
interface TradedPair {
  readonly id: number
  readonly rank: number
  readonly otherId: number
  readonly otherRank: number | null
}

/**
 * Raises the ranks that only reverted trades had lowered: with one, the token would not be priced by its other trades any
 * more, as what it is traded for is not nearer to a dollar.
 */
async function restoreRanks(db: Transaction, ids: readonly number[]): Promise<void> {
  const pairs = await db<TradedPair[]>`
    select t.id, t.price_rank as rank, other.id as "otherId", other.price_rank as "otherRank"
    from tokens.tokens t
    cross join lateral (
      select distinct other_id as id from (${pricingTrades(db, db`t.id`)}) priced
    ) traded
    join tokens.tokens other on other.id = traded.id
    where t.id = any (${[...ids]}::integer[]) and t.price_rank is not null and not t.is_dollar
  `
  const ranks = [...remainingRanks(pairs)]
  await db`
    update tokens.tokens t
    set price_rank = r.rank
    from unnest(${ranks.map(([id]) => id)}::integer[], ${ranks.map(([, rank]) => rank)}::smallint[]) as r (id, rank)
    where t.id = r.id and t.price_rank is distinct from r.rank
  `
}

/**
 * Returns the rank of each token of reverted trades: one more than the lowest among what it was traded for. Null for one
 * that no remaining trade connects to a dollar: the next trade prices it anew.
 */
function remainingRanks(pairs: readonly TradedPair[]): Map<number, number | null> {
  const ranks = new Map(
    pairs.flatMap(({ otherId: id, otherRank }) => (otherRank === null ? [] : [[id, otherRank] as const])),
  )
  for (const { id } of pairs) ranks.delete(id)
  // Tokens of reverted trades may have been traded for each other.
  let isLowered: boolean
  do {
    isLowered = false
    for (const { id, rank, otherId } of pairs) {
      // Not below the present one: what it was traded for may have come nearer since.
      const found = Math.max(rank, (ranks.get(otherId) ?? Number.POSITIVE_INFINITY) + 1)
      if (found >= (ranks.get(id) ?? Number.POSITIVE_INFINITY)) continue
      ranks.set(id, found)
      isLowered = true
    }
  } while (isLowered)
  return new Map(pairs.map(({ id }) => [id, ranks.get(id) ?? null]))
}
