import { formatUnits, type Hex } from 'viem'
import type { NetworkName } from '../../hub/chain/networks.js'
import type { Transaction } from '../../platform/db/connection.js'
import { type Price, valueTrade } from './prices.js'
import type { Swap } from './swaps.js'

/** A swap and its position on the chain. */
export interface LocatedSwap extends Swap {
  readonly block: number
  readonly logIndex: number
  /** Unix seconds. */
  readonly tradedAt: number
  readonly transactionHash: Hex
  readonly pool: Hex
  readonly trader: Hex
  readonly soldId: number
  readonly boughtId: number
}

interface PriceRow {
  readonly id: number
  readonly decimals: number
  readonly usd: number | null
  readonly rank: number | null
}

/** Stores trades in order with their values, and the prices that they set. */
export async function insertTrades(
  db: Transaction,
  network: NetworkName,
  swaps: readonly LocatedSwap[],
): Promise<void> {
  if (swaps.length === 0) return
  const ids = [...new Set(swaps.flatMap(({ soldId, boughtId }) => [soldId, boughtId]))].sort((a, b) => a - b)
  const rows = await db<PriceRow[]>`
    select id, decimals, price_usd as usd, price_rank as rank
    from tokens.tokens where id = any (${ids}::integer[]) order by id for update
  `
  const decimals = new Map(rows.map((row) => [row.id, row.decimals]))
  const prices = new Map<number, Price>(
    rows.flatMap(({ id, usd, rank }) =>
      usd === null || rank === null ? [] : [[id, { usd, rank }] as const],
    ),
  )
  const amountOf = (tokenId: number, amount: bigint) => ({
    tokenId,
    amount: Number(formatUnits(amount, decimals.get(tokenId) ?? 0)),
  })
  const values = swaps.map(({ soldId, sold, boughtId, bought }) =>
    valueTrade(prices, amountOf(soldId, sold), amountOf(boughtId, bought)),
  )
  const texts = (values: readonly string[]) => db.types.texts(values)
  const hexes = (values: readonly Hex[]) =>
    db.types.byteas(values.map((hex) => Buffer.from(hex.slice(2), 'hex')))
  await db`
    insert into tokens.trades (
      network, block, log_index, traded_at, transaction_hash, pool, protocol_family, protocol_version, trader,
      sold_id, sold, bought_id, bought, usd
    )
    select ${network}, block, log_index, traded_at, transaction_hash, pool, family, version, trader,
      sold_id, sold::numeric, bought_id, bought::numeric, usd::float8
    from unnest(
      ${swaps.map(({ block }) => block)}::bigint[],
      ${swaps.map(({ logIndex }) => logIndex)}::integer[],
      ${swaps.map(({ tradedAt }) => tradedAt)}::bigint[],
      ${hexes(swaps.map(({ transactionHash }) => transactionHash))}::bytea[],
      ${hexes(swaps.map(({ pool }) => pool))}::bytea[],
      ${texts(swaps.map(({ protocolFamily }) => protocolFamily))}::text[],
      ${texts(swaps.map(({ protocolVersion }) => protocolVersion))}::text[],
      ${hexes(swaps.map(({ trader }) => trader))}::bytea[],
      ${swaps.map(({ soldId }) => soldId)}::integer[],
      ${texts(swaps.map(({ sold }) => sold.toString()))}::text[],
      ${swaps.map(({ boughtId }) => boughtId)}::integer[],
      ${texts(swaps.map(({ bought }) => bought.toString()))}::text[],
      ${db.types.texts(values.map((usd) => (usd === null ? null : String(usd))))}::text[]
    ) as t (block, log_index, traded_at, transaction_hash, pool, family, version, trader, sold_id, sold, bought_id,
      bought, usd)
    on conflict do nothing
  `
  await savePrices(db, prices)
}

async function savePrices(db: Transaction, prices: ReadonlyMap<number, Price>): Promise<void> {
  const newPrices = [...prices]
  await db`
    update tokens.tokens t
    set price_usd = p.usd::float8, price_rank = p.rank
    from unnest(
      ${newPrices.map(([id]) => id)}::integer[],
      ${db.types.texts(newPrices.map(([, { usd }]) => String(usd)))}::text[],
      ${newPrices.map(([, { rank }]) => rank)}::smallint[]
    ) as p (id, usd, rank)
    where t.id = p.id and not t.is_dollar
  `
}

/** Reverts the trades from this block on, and restores prices from the remaining trades. */
export async function revertTrades(db: Transaction, network: NetworkName, fromBlock: number): Promise<void> {
  const reverted = await db<{ sold_id: number; bought_id: number }[]>`
    delete from tokens.trades
    where network = ${network} and block >= ${fromBlock}::bigint
    returning sold_id, bought_id
  `
  const ids = [...new Set(reverted.flatMap(({ sold_id, bought_id }) => [sold_id, bought_id]))]
  if (ids.length === 0) return
  await db`
    update tokens.tokens t
    set price_usd = last.usd / (last.amount / 10::numeric ^ t.decimals)::float8,
        price_rank = case when last.usd is null then null else t.price_rank end
    from tokens.tokens asked
    left join lateral (
      select usd, amount
      from (
        (select block, log_index, usd, sold as amount from tokens.trades
          where sold_id = asked.id and usd is not null order by block desc, log_index desc limit 1)
        union all
        (select block, log_index, usd, bought as amount from tokens.trades
          where bought_id = asked.id and usd is not null order by block desc, log_index desc limit 1)
      ) either
      order by block desc, log_index desc
      limit 1
    ) last on true
    where asked.id = any (${ids}::integer[]) and t.id = asked.id and not t.is_dollar
  `
}
