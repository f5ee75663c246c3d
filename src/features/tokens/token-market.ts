import type { Database } from '../../platform/db/connection.js'
import { HOUR_SECONDS } from '../../platform/durations.js'
import { pricingTrades } from './trades.js'

/** The trades of a token in one of the windows. */
export interface TradedWindow {
  readonly tokenId: number
  readonly hours: number
  /** Dollars of all trades in the window; null when none has a value. */
  readonly volume: number | null
  /** Dollars per unit in the last trade before the window that could set a price; null when there is none. */
  readonly priceBefore: number | null
}

/**
 * Reads the trades of tokens in the last hours.
 *
 * Times become blocks first, because the trades of a token are indexed by block.
 *
 * @param now Unix seconds.
 */
export async function readTradedWindows(
  db: Database,
  {
    tokenIds,
    windowHours,
    now,
  }: { tokenIds: readonly number[]; windowHours: readonly number[]; now: number },
): Promise<TradedWindow[]> {
  return await db<TradedWindow[]>`
    select k.id as "tokenId", w.hours, v.volume, p.price as "priceBefore"
    from tokens.tokens k
    cross join unnest(${[...windowHours]}::integer[]) as w (hours)
    cross join lateral (
      select coalesce((
        select t.block from tokens.trades t
        where t.network = k.network and t.traded_at <= ${now}::bigint - w.hours * ${HOUR_SECONDS}::bigint
        order by t.traded_at desc limit 1
      ), -1) as block
    ) c
    cross join lateral (
      select sum(usd) as volume from (
        select usd from tokens.trades where sold_id = k.id and block > c.block
        union all
        select usd from tokens.trades where bought_id = k.id and sold_id <> k.id and block > c.block
      ) traded
    ) v
    left join lateral (
      select usd / (amount / 10::numeric ^ k.decimals)::float8 as price
      from (${pricingTrades(db, db`k.id`, db`block <= c.block`)}) priced
      order by block desc, log_index desc limit 1
    ) p on true
    where k.id = any (${[...tokenIds]}::integer[])`
}

/** Statistics of a token in the index. */
export interface TokenStats {
  readonly tokenId: number
  /** Addresses with a balance; null unless its owners are indexed, and while more than `MAX_COUNTED` were never counted. */
  readonly holders: number | null
  /** Time of the trade that set its price, in Unix seconds; null when none has. */
  readonly pricedAt: number | null
}

/** Holders of a token that a read counts: this takes a millisecond. Of more it has the last count. */
const MAX_COUNTED = 1_000

/** Counts the holders of tokens, and reads the times of their prices. */
export async function readTokenStats(db: Database, tokenIds: readonly number[]): Promise<TokenStats[]> {
  return await db<TokenStats[]>`
    select k.id as "tokenId",
      case when k.read_to >= k.live_from then (
        select case when count(*) > ${MAX_COUNTED} then k.holder_count else count(*)::integer end
        from (
          select from tokens.balances b where b.token_id = k.id and b.balance > 0 limit ${MAX_COUNTED + 1}
        ) counted
      ) end as holders,
      k.priced_at as "pricedAt"
    from tokens.tokens k
    where k.id = any (${[...tokenIds]}::integer[])`
}

/** Counts and stores the holders of all tokens whose owners are indexed. */
export async function countHolders(db: Database): Promise<void> {
  const tokens = await db<
    { id: number }[]
  >`select id from tokens.tokens where read_to >= live_from order by id`
  for (const { id } of tokens) {
    await db.begin(async (transaction) => {
      // Counting millions of rows takes longer than a request may.
      await transaction`set local statement_timeout to 0`
      // The update comes afterwards, since the live handler locks the token.
      const [row] = await transaction<{ holders: number }[]>`
        select count(*)::integer as holders from tokens.balances where token_id = ${id} and balance > 0`
      await transaction`
        update tokens.tokens set holder_count = ${row!.holders}
        where id = ${id} and holder_count is distinct from ${row!.holders}::integer`
    })
  }
}

/** One side of a pool that a token is in. */
export interface PoolSide {
  readonly tokenId: number
  /** Lowercase hex with 0x. */
  readonly pool: `0x${string}`
  /** The token of this side. */
  readonly side: `0x${string}`
  readonly decimals: number
  readonly priceUsd: number
}

/** Pools per token of which the reserves count, oldest first. */
const MAX_POOLS = 20

/** Lists the sides with a price of all watched pools of tokens. */
export async function readPoolSides(db: Database, tokenIds: readonly number[]): Promise<PoolSide[]> {
  return await db<PoolSide[]>`
    select k.id as "tokenId", '0x' || encode(p.address, 'hex') as pool, '0x' || encode(s.address, 'hex') as side,
      s.decimals, s.price_usd as "priceUsd"
    from tokens.tokens k
    cross join lateral (
      select * from tokens.pools where token0_id = k.id
      union all
      select * from tokens.pools where token1_id = k.id and token0_id <> k.id
      limit ${MAX_POOLS}
    ) p
    join tokens.tokens s on s.id in (p.token0_id, p.token1_id) and s.price_usd is not null
    where k.id = any (${[...tokenIds]}::integer[])`
}
