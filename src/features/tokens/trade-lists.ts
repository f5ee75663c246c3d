import { type ChainName, chainNames } from '../../hub/chain/chains.js'
import type { Database, Queryable, Transaction } from '../../platform/db/connection.js'

/** A trade as shown. */
export interface TradeRow {
  readonly network: ChainName
  readonly block: number
  readonly logIndex: number
  /** Unix seconds. */
  readonly tradedAt: number
  /** Lowercase hex with 0x. */
  readonly transactionHash: string
  readonly pool: string
  readonly protocolFamily: string
  readonly protocolVersion: string
  /** The user of the trading address; null when there is none. */
  readonly traderFid: number | null
  readonly soldId: number
  /** In the tokens' smallest unit. */
  readonly sold: string
  readonly boughtId: number
  readonly bought: string
  /** Dollars; null when neither token had a price. */
  readonly usd: number | null
}

/** SQL for the columns of `TradeRow`, from a trade `t` and a lateral `u` with the trader's `fid`. */
function tradeColumns(db: Queryable) {
  return db`
    t.network, t.block, t.log_index as "logIndex", t.traded_at as "tradedAt",
    '0x' || encode(t.transaction_hash, 'hex') as "transactionHash", '0x' || encode(t.pool, 'hex') as pool,
    t.protocol_family as "protocolFamily", t.protocol_version as "protocolVersion", u.fid as "traderFid",
    t.sold_id as "soldId", t.sold::text as sold, t.bought_id as "boughtId", t.bought::text as bought, t.usd`
}

/**
 * SQL lateral for the user of an address: its custody holder, otherwise the oldest account that verified it.
 */
function traderLateral(db: Queryable) {
  return db`
    lateral (
      select fid from (
        select fid, 0 as rank from social.users where custody_address = t.trader
        union all
        select fid, 1 from social.verifications where address = t.trader and protocol = 0
      ) holders
      order by rank, fid
      limit 1
    ) u`
}

/** Parameters of `readTrades`. */
export interface TradesQuery {
  readonly network: ChainName
  readonly tokenId: number
  /** Unix seconds. */
  readonly since: number
  /** Dollars; when set, trades without a value are left out. */
  readonly minAmountUsd: number | null
  /** Fids whose trades are left out. */
  readonly hidden: readonly number[]
  readonly limit: number
}

/** Lists trades of a token by users, newest first. */
export async function readTrades(
  db: Database,
  { network, tokenId, since, minAmountUsd, hidden, limit }: TradesQuery,
): Promise<TradeRow[]> {
  // The indexes of tokens are by block. Without a first block, a token of bots would be read back to its first trade.
  return await db<TradeRow[]>`
    with first as materialized (
      select block from tokens.trades
      where network = ${network} and traded_at >= ${since}::bigint
      order by traded_at, block
      limit 1
    ), either as (
      select * from tokens.trades where sold_id = ${tokenId} and block >= (select block from first)
      union all
      select * from tokens.trades
      where bought_id = ${tokenId} and sold_id <> ${tokenId} and block >= (select block from first)
    )
    select ${tradeColumns(db)}
    from either t
    cross join ${traderLateral(db)}
    where t.traded_at >= ${since}::bigint
      and (${minAmountUsd}::float8 is null or t.usd >= ${minAmountUsd}::float8)
      and u.fid <> all (${[...hidden]}::bigint[])
    order by t.block desc, t.log_index desc
    limit ${limit}
  `
}

/** Takes final, unpublished trades of a network in order and marks them as published in this transaction. */
export async function claimUnpublished(
  db: Transaction,
  network: ChainName,
  lastFinal: number,
): Promise<TradeRow[]> {
  return await db<TradeRow[]>`
    with published as (
      update tokens.trades set published = true
      where network = ${network} and block <= ${lastFinal}::bigint and not published
      returning *
    )
    select ${tradeColumns(db)}
    from published t
    left join ${traderLateral(db)} on true
    order by t.block, t.log_index
  `
}

/**
 * Lists published trades of all networks, newest first.
 *
 * @param since Unix seconds.
 */
export async function readPublished(
  db: Queryable,
  { since, limit }: { readonly since: number; readonly limit: number },
): Promise<TradeRow[]> {
  // Networks apart: the index by time begins with the network.
  return await db<TradeRow[]>`
    with newest as (
      select recent.* from unnest(${db.types.texts(chainNames)}::text[]) as known (name)
      cross join lateral (
        select * from tokens.trades
        where network = known.name and traded_at >= ${since}::bigint and published
        order by traded_at desc
        limit ${limit}
      ) recent
      order by traded_at desc, network, block desc, log_index desc
      limit ${limit}
    )
    select ${tradeColumns(db)}
    from newest t
    left join ${traderLateral(db)} on true
    order by t.traded_at desc, t.network, t.block desc, t.log_index desc
  `
}

/**
 * Lists the ids of the most traded tokens of a network: by the number of trading users, then by volume. Dollar tokens
 * and tokens without a price are left out.
 *
 * @param since Unix seconds.
 */
export async function readTrending(
  db: Database,
  { network, since, limit }: { network: ChainName; since: number; limit: number },
): Promise<number[]> {
  const rows = await db<{ id: number }[]>`
    with recent as materialized (
      select trader, sold_id, bought_id, usd from tokens.trades
      where network = ${network} and traded_at >= ${since}::bigint
    ), traders as (
      select t.trader, u.fid from (select distinct trader from recent) t cross join ${traderLateral(db)}
    ), sides as (
      select sold_id as token_id, trader, usd from recent
      union all
      select bought_id, trader, usd from recent
    )
    select s.token_id as id
    from sides s
    join tokens.tokens k on k.id = s.token_id and not k.is_dollar and k.price_usd is not null
    left join traders u using (trader)
    group by s.token_id
    order by count(distinct u.fid) desc, sum(s.usd) desc nulls last, s.token_id
    limit ${limit}
  `
  return rows.map(({ id }) => id)
}
