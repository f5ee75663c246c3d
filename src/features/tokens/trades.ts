import { decodeEventLog, formatUnits, type Hex, parseAbi, toEventSelector } from 'viem'
import type { Fragment } from '#postgres'
import type { ChainName } from '../../hub/chain/chains.js'
import type { ChainLog } from '../../hub/chain/endpoint.js'
import type { Queryable, Transaction } from '../../platform/db/connection.js'
import { bytesOfHex } from '../../protocol/bytes.js'

interface Swap {
  readonly protocolFamily: 'uniswap'
  readonly protocolVersion: 'v2' | 'v3'
  /** Whether the first token of the pool was sold and the second bought. */
  readonly soldFirst: boolean
  /** In the tokens' smallest unit; both are above 0. */
  readonly sold: bigint
  readonly bought: bigint
}

const v2Abi = parseAbi([
  'event Swap(address indexed sender, uint256 amount0In, uint256 amount1In, uint256 amount0Out, uint256 amount1Out, address indexed to)',
])
const v3Abi = parseAbi([
  'event Swap(address indexed sender, address indexed recipient, int256 amount0, int256 amount1, uint160 sqrtPriceX96, uint128 liquidity, int24 tick)',
])
const v2Topic = toEventSelector(v2Abi[0])
const v3Topic = toEventSelector(v3Abi[0])

/** First topics of swaps in pools like Uniswap v2 and v3, which most exchanges use. */
export const swapTopics: readonly Hex[] = [v2Topic, v3Topic]

/** Decodes a swap from a pool's log; null for other logs and for swaps with an empty side. */
export function readSwap({ topics, data }: ChainLog): Swap | null {
  const amounts = amountsOf([...topics] as [Hex, ...Hex[]], data)
  if (amounts === null) return null
  const [first, second] = amounts
  const protocol = {
    protocolFamily: 'uniswap',
    protocolVersion: topics[0] === v2Topic ? 'v2' : 'v3',
  } as const
  if (first > 0n && second < 0n) return { ...protocol, soldFirst: true, sold: first, bought: -second }
  if (second > 0n && first < 0n) return { ...protocol, soldFirst: false, sold: second, bought: -first }
  return null
}

/** Returns what the pool received of each token; negative when it paid. */
function amountsOf(topics: [Hex, ...Hex[]], data: Hex): readonly [bigint, bigint] | null {
  try {
    if (topics[0] === v2Topic) {
      const { args } = decodeEventLog({ abi: v2Abi, topics, data })
      return [args.amount0In - args.amount0Out, args.amount1In - args.amount1Out]
    }
    const { args } = decodeEventLog({ abi: v3Abi, topics, data })
    return [args.amount0, args.amount1]
  } catch {
    // Same event name with another layout: anyone can deploy a pool.
    return null
  }
}

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

/** Stores trades in order with their values, and the prices that they set. */
export async function insertTrades(
  db: Transaction,
  network: ChainName,
  swaps: readonly LocatedSwap[],
): Promise<void> {
  if (swaps.length === 0) return
  const ids = [...new Set(swaps.flatMap(({ soldId, boughtId }) => [soldId, boughtId]))].sort((a, b) => a - b)
  const rows = await db<
    { id: number; decimals: number; usd: number | null; rank: number | null; pricedAt: number | null }[]
  >`
    select id, decimals, price_usd as usd, price_rank as rank, priced_at as "pricedAt"
    from tokens.tokens where id = any (${ids}::integer[]) order by id for update
  `
  const decimals = new Map(rows.map((row) => [row.id, row.decimals]))
  const prices = new Map<number, Price>(
    rows.flatMap(({ id, usd, rank, pricedAt }) =>
      usd === null || rank === null ? [] : [[id, { usd, rank, pricedAt }] as const],
    ),
  )
  const amountOf = (tokenId: number, amount: bigint) => ({
    tokenId,
    smallestUnits: amount,
    amount: Number(formatUnits(amount, decimals.get(tokenId) ?? 0)),
  })
  const values = swaps.map(({ soldId, sold, boughtId, bought, tradedAt }) =>
    valueTrade(prices, amountOf(soldId, sold), amountOf(boughtId, bought), tradedAt),
  )
  const { texts, byteas } = db.types
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
      ${byteas(swaps.map(({ transactionHash }) => bytesOfHex(transactionHash)))}::bytea[],
      ${byteas(swaps.map(({ pool }) => bytesOfHex(pool)))}::bytea[],
      ${texts(swaps.map(({ protocolFamily }) => protocolFamily))}::text[],
      ${texts(swaps.map(({ protocolVersion }) => protocolVersion))}::text[],
      ${byteas(swaps.map(({ trader }) => bytesOfHex(trader)))}::bytea[],
      ${swaps.map(({ soldId }) => soldId)}::integer[],
      ${texts(swaps.map(({ sold }) => sold.toString()))}::text[],
      ${swaps.map(({ boughtId }) => boughtId)}::integer[],
      ${texts(swaps.map(({ bought }) => bought.toString()))}::text[],
      ${texts(values.map((usd) => (usd === null ? null : String(usd))))}::text[]
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
    set price_usd = p.usd::float8, price_rank = p.rank, priced_at = p.priced_at
    from unnest(
      ${newPrices.map(([id]) => id)}::integer[],
      ${db.types.texts(newPrices.map(([, { usd }]) => String(usd)))}::text[],
      ${newPrices.map(([, { rank }]) => rank)}::smallint[],
      ${newPrices.map(([, { pricedAt }]) => pricedAt)}::bigint[]
    ) as p (id, usd, rank, priced_at)
    where t.id = p.id and not t.is_dollar
  `
}

/** The price of a token. */
export interface Price {
  /** Dollars per unit. */
  readonly usd: number
  /** Trades between the token and a dollar: 0 for dollar tokens. */
  readonly rank: number
  /** Time of the trade that set it, in Unix seconds; null for dollar tokens. */
  readonly pricedAt: number | null
}

/** An amount of a token in a trade. */
export interface Amount {
  readonly tokenId: number
  /** In units. */
  readonly amount: number
  readonly smallestUnits: bigint
}

/**
 * Least value of a trade that sets a price: otherwise anybody could set any price, for nothing. Transactions cost cents, so most trades
 * are worth more. A token without such a trade has no price.
 */
const MIN_PRICING_USD = 1

/**
 * Least amount on both sides of a trade that sets a price, in smallest units. Pools round amounts up by as much as one unit: they sell one
 * wei for one unit of a dollar token. Of 100 units that is a percent, about as much as their fee. A dollar is 100 units of a token
 * with two decimals, and about 1,000 of a wrapped bitcoin: a larger amount would leave out real trades of these.
 */
const MIN_PRICING_UNITS = 100

/** Newest trades of a token, as many sold as bought, that are searched for those that set its price. */
const MAX_SEARCHED_TRADES = 1_000

/**
 * SQL for the newest trades of a token that are large enough to set a price, with the `amount` of the token and the `other_id` that it was
 * traded for. In the order of `block` and `log_index`, it is read only as far as it is needed.
 *
 * @param isCounted A condition on the rows of `tokens.trades`.
 */
export function pricingTrades(db: Queryable, tokenId: Fragment, isCounted: Fragment = db`true`): Fragment {
  const newest = (side: Fragment, id: Fragment, otherId: Fragment) => db`(
    select block, log_index, traded_at, usd, sold, bought, ${side} as amount, ${otherId} as other_id
    from tokens.trades
    where ${id} = ${tokenId} and ${isCounted}
    order by block desc, log_index desc
    limit ${MAX_SEARCHED_TRADES}
  )`
  const minUnits = db`${MIN_PRICING_UNITS}::numeric`
  return db`
    select block, log_index, traded_at, usd, amount, other_id
    from (
      ${newest(db`sold`, db`sold_id`, db`bought_id`)}
      union all
      ${newest(db`bought`, db`bought_id`, db`sold_id`)}
    ) newest
    where usd >= ${MIN_PRICING_USD}::float8 and sold >= ${minUnits} and bought >= ${minUnits}`
}

/**
 * Values a trade by the token whose price is nearer to a dollar, and prices the other token by it if the trade is large enough.
 *
 * So dollar prices never change, and no two tokens price each other in a circle.
 *
 * @param prices By token; receives the new price.
 * @param tradedAt Unix seconds.
 * @returns Dollars; null when neither token has a price.
 */
export function valueTrade(
  prices: Map<number, Price>,
  sold: Amount,
  bought: Amount,
  tradedAt: number,
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
  const isLarge =
    usd >= MIN_PRICING_USD &&
    sold.smallestUnits >= MIN_PRICING_UNITS &&
    bought.smallestUnits >= MIN_PRICING_UNITS
  if (isNearer && isLarge) {
    prices.set(other.tokenId, {
      usd: usd / other.amount,
      rank: referencePrice.rank + 1,
      pricedAt: tradedAt,
    })
  }
  return usd
}
