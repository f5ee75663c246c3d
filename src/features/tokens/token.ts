import type { NetworkName } from '../../hub/chain/networks.js'
import type { Queryable } from '../../platform/db/connection.js'

/** A known ERC-20 token. */
export interface Token {
  readonly id: number
  readonly network: NetworkName
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
  /** Who tracks its owners; null for nobody. */
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

/** Which tokens to read: addresses on a network, or all. */
export interface TokensQuery {
  readonly network?: NetworkName | undefined
  readonly addresses?: readonly Buffer[] | undefined
  readonly ids?: readonly number[] | undefined
  /** Only tracked tokens. */
  readonly onlyTracked?: boolean
}

/** Reads tokens in the order in which they were added. */
export async function readTokens(
  db: Queryable,
  { network, addresses, ids, onlyTracked = false }: TokensQuery,
): Promise<Token[]> {
  return await db<Token[]>`
    select id, network, address, name, symbol, decimals, logo, price_usd as "priceUsd", is_dollar as "isDollar",
      price_rank as "priceRank", tracked_by as "trackedBy", first_block as "firstBlock", live_from as "liveFrom",
      read_to as "readTo"
    from tokens.tokens
    where true
      ${network === undefined ? db`` : db`and network = ${network}`}
      ${addresses === undefined ? db`` : db`and address = any (${db.types.byteas(addresses)}::bytea[])`}
      ${ids === undefined ? db`` : db`and id = any (${[...ids]}::integer[])`}
      ${onlyTracked ? db`and tracked_by is not null` : db``}
    order by id
  `
}
