import type { NetworkName } from '../../hub/chain/networks.js'
import type { Database, Queryable, Transaction } from '../../platform/db/connection.js'

/** A trade, as it is shown. */
export interface TradeRow {
  readonly network: NetworkName
  readonly block: number
  readonly logIndex: number
  /** Unix seconds. */
  readonly tradedAt: number
  /** Lower-case hex with 0x. */
  readonly transactionHash: string
  readonly pool: string
  readonly protocolFamily: string
  readonly protocolVersion: string
  /** The user behind the address that traded; null when it is nobody's. */
  readonly traderFid: number | null
  readonly soldId: number
  /** In the tokens' smallest units. */
  readonly sold: string
  readonly boughtId: number
  readonly bought: string
  /** Dollars; null where neither token had a price. */
  readonly usd: number | null
}

/** The columns of a TradeRow, of a trade `t` and a lateral `u` that has the trader's `fid`. */
function tradeColumns(db: Queryable) {
  return db`
    t.network, t.block, t.log_index as "logIndex", t.traded_at as "tradedAt",
    '0x' || encode(t.transaction_hash, 'hex') as "transactionHash", '0x' || encode(t.pool, 'hex') as pool,
    t.protocol_family as "protocolFamily", t.protocol_version as "protocolVersion", u.fid as "traderFid",
    t.sold_id as "soldId", t.sold::text as sold, t.bought_id as "boughtId", t.bought::text as bought, t.usd`
}

/** Whose address it is: who holds it on chain, or else the oldest account that has verified it. */
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

export interface TradesQuery {
  readonly tokenId: number
  /** Unix seconds. */
  readonly since: number
  /** Dollars; trades without a value are left out when there is one. */
  readonly minAmountUsd: number | null
  readonly limit: number
}

/** Trades of a token by users, the newest first. */
export async function readTrades(
  db: Database,
  { tokenId, since, minAmountUsd, limit }: TradesQuery,
): Promise<TradeRow[]> {
  return await db<TradeRow[]>`
    with either as (
      select * from tokens.trades where sold_id = ${tokenId}
      union all
      select * from tokens.trades where bought_id = ${tokenId} and sold_id <> ${tokenId}
    )
    select ${tradeColumns(db)}
    from either t
    cross join ${traderLateral(db)}
    where t.traded_at >= ${since}::bigint
      and (${minAmountUsd}::float8 is null or t.usd >= ${minAmountUsd}::float8)
    order by t.block desc, t.log_index desc
    limit ${limit}
  `
}

/**
 * Takes the trades of a network that are final and of which nobody has been told, in their order: they count as told
 * once the transaction is committed.
 */
export async function claimUnpublished(
  db: Transaction,
  network: NetworkName,
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

/** A token that is traded much. */
export interface TrendingToken {
  readonly tokenId: number
}

/**
 * The tokens of a network that have been traded most: by the number of users who did, and then by what it was worth.
 * Dollars and tokens without a price are left out.
 *
 * @param since Unix seconds.
 */
export async function readTrending(
  db: Database,
  { network, since, limit }: { network: NetworkName; since: number; limit: number },
): Promise<TrendingToken[]> {
  return await db<TrendingToken[]>`
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
    select s.token_id as "tokenId"
    from sides s
    join tokens.tokens k on k.id = s.token_id and not k.is_dollar and k.price_usd is not null
    left join traders u using (trader)
    group by s.token_id
    order by count(distinct u.fid) desc, sum(s.usd) desc nulls last, s.token_id
    limit ${limit}
  `
}
