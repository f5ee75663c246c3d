import type { ChainName } from '../../hub/chain/chains.js'
import type { Database } from '../../platform/db/connection.js'

/** A balance of a user in a token. */
export interface HeldToken {
  /** Lowercase hex with 0x. */
  readonly holder: string
  readonly network: ChainName
  readonly address: string
  readonly name: string
  readonly symbol: string
  readonly decimals: number
  /** In the token's smallest unit. */
  readonly balance: string
  readonly priceUsd: number | null
}

/** Most balances returned, highest value first: anyone can send a user thousands of unwanted tokens. */
const MAX_HELD = 500

/**
 * Lists the balances of a user's Ethereum addresses in backfilled tokens, highest value first; tokens without
 * a price last.
 */
export async function readHeldTokens(
  db: Database,
  fid: number,
  networks: readonly ChainName[],
): Promise<HeldToken[]> {
  return await db<HeldToken[]>`
    with addresses as (
      select custody_address as address from social.users where fid = ${fid}::bigint
      union
      select address from social.verifications where fid = ${fid}::bigint and protocol = 0
    )
    select '0x' || encode(b.holder, 'hex') as holder, t.network, '0x' || encode(t.address, 'hex') as address,
      t.name, t.symbol, t.decimals, b.balance::text as balance, t.price_usd as "priceUsd"
    from tokens.tokens t
    cross join addresses a
    join tokens.balances b on b.token_id = t.id and b.holder = a.address and b.balance > 0
    where t.network = any (${db.types.texts(networks)}::text[]) and t.read_to >= t.live_from
    order by t.price_usd * (b.balance / 10::numeric ^ t.decimals)::float8 desc nulls last, t.id, b.holder
    limit ${MAX_HELD}
  `
}
