import type { Fragment } from '#postgres'
import { type Viewer, visibilityFilter } from '../../graph/query/visibility-filter.js'
import type { ChainName } from '../../hub/chain/chains.js'
import type { Database, Queryable } from '../../platform/db/connection.js'

/** A known ERC-20 token. */
export interface Token {
  readonly id: number
  readonly network: ChainName
  /** 20 bytes. */
  readonly address: Buffer
  readonly name: string
  readonly symbol: string
  readonly decimals: number
  readonly logo: string | null
  /** Dollars per unit; null until a trade against a priced token. */
  readonly priceUsd: number | null
  readonly isDollar: boolean
  /** Trades between it and a dollar; null without a price. */
  readonly priceRank: number | null
  /** Origin of the tracking of its owners; null if it is not tracked. */
  readonly trackedBy: 'operator' | 'request' | null
  readonly firstBlock: number | null
  /** First block that the live handler applies; null until it does. */
  readonly liveFrom: number | null
  /** First block before `liveFrom` that is not backfilled. */
  readonly readTo: number | null
}

/** Whether the balances of a token match the chain. */
export function isBackfilled({ liveFrom, readTo }: Pick<Token, 'liveFrom' | 'readTo'>): boolean {
  return liveFrom !== null && readTo !== null && readTo >= liveFrom
}

/** Returns the backfilled share of a token's history, from 0 to 1. */
export function backfillProgress({ firstBlock, liveFrom, readTo }: Token): number {
  if (firstBlock === null || liveFrom === null || readTo === null) return 0
  return liveFrom <= firstBlock ? 1 : Math.min(1, (readTo - firstBlock) / (liveFrom - firstBlock))
}

/** Selection of tokens: addresses on a network, or all. */
export interface TokensQuery {
  readonly network?: ChainName | undefined
  readonly addresses?: readonly Buffer[] | undefined
  readonly ids?: readonly number[] | undefined
  readonly onlyTracked?: boolean
}

/** SQL for the columns of a token, of `tokens.tokens`. */
export function tokenColumns(db: Queryable): Fragment {
  return db`
    id, network, address, name, symbol, decimals, logo, price_usd as "priceUsd", is_dollar as "isDollar",
    price_rank as "priceRank", tracked_by as "trackedBy", first_block as "firstBlock", live_from as "liveFrom",
    read_to as "readTo"`
}

/** Reads tokens in the order in which they were added. */
export async function readTokens(
  db: Queryable,
  { network, addresses, ids, onlyTracked = false }: TokensQuery,
): Promise<Token[]> {
  return await db<Token[]>`
    select ${tokenColumns(db)}
    from tokens.tokens
    where true
      ${network === undefined ? db`` : db`and network = ${network}`}
      ${addresses === undefined ? db`` : db`and address = any (${db.types.byteas(addresses)}::bytea[])`}
      ${ids === undefined ? db`` : db`and id = any (${[...ids]}::integer[])`}
      ${onlyTracked ? db`and tracked_by is not null` : db``}
    order by id
  `
}

/**
 * Returns the supply of tokens by id in their smallest unit: what the zero address sent minus what it
 * received. Only for backfilled tokens.
 */
export async function readSupplies(db: Database, tokenIds: readonly number[]): Promise<Map<number, bigint>> {
  if (tokenIds.length === 0) return new Map()
  const rows = await db<{ id: number; supply: string }[]>`
    select t.id, coalesce(-b.balance, 0)::text as supply
    from tokens.tokens t
    left join tokens.balances b on b.token_id = t.id and b.holder = decode(repeat('00', 20), 'hex')
    where t.id = any (${[...tokenIds]}::integer[]) and t.read_to >= t.live_from
  `
  return new Map(rows.map(({ id, supply }) => [id, BigInt(supply)]))
}

/** Counts the casts visible to the viewer that embed each URL; URLs without casts are omitted. */
export async function countCastsOfUrls(
  db: Database,
  urls: readonly string[],
  viewer: Viewer,
): Promise<Map<string, number>> {
  const rows = await db<{ url: string; casts: number }[]>`
    select e.url, count(*)::integer as casts
    from social.url_embeds e
    where e.url = any (${db.types.texts(urls)}::text[]) and ${visibilityFilter(db, viewer, 'e.fid')}
    group by e.url
  `
  return new Map(rows.map(({ url, casts }) => [url, casts]))
}
