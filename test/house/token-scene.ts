import type { TokenTracking } from '../../src/features/tokens/on-demand-tokens.js'
import { ChainRpc } from '../../src/hub/chain/chain-rpc.js'
import { readChainSettings } from '../../src/hub/chain/chain-settings.js'
import type { Database } from '../../src/platform/db/connection.js'
import { silentLog } from '../../src/platform/log/log.js'
import { testNowUnix } from '../network.js'

/** A fully indexed token that alice, bob and carol own and trade. */
export const TOKEN = `0x${'a1'.repeat(20)}`

const settings = readChainSettings({ rpcUrls: { base: 'http://127.0.0.1:9' } })
const base = settings.chains.get('base')!

/** The network of the token. No operation contacts its chain. */
export const tokenTrackingSettings: TokenTracking = {
  rpcs: new Map([['base', new ChainRpc(base, { log: silentLog, clock: () => testNowUnix * 1000 })]]),
  maxTrackedTokens: 0,
}

/** Stores the token, its balances and a trade as the followers would. */
export async function storeTokens(db: Database): Promise<void> {
  const [token, dollar] = await db<{ id: number }[]>`
    insert into tokens.tokens (
      network, address, name, symbol, decimals, tracked_by, is_dollar, price_usd, price_rank, first_block, live_from, read_to
    )
    values
      ('base', ${Buffer.alloc(20, 0xa1)}::bytea, 'Apple', 'APL', 18, 'operator', false, 2, 1, 1, 9, 9),
      ('base', ${Buffer.alloc(20, 0xd0)}::bytea, 'Dollar', 'USD', 6, null, true, 1, 0, null, null, null)
    returning id`
  await db`
    insert into tokens.balances (token_id, holder, balance)
    select ${token!.id}, custody_address, fid * 1000 from social.users where fid <= 3`
  const pool = Buffer.alloc(20, 0x99)
  await db`insert into tokens.pools values ('base', ${pool}::bytea, ${token!.id}, ${dollar!.id})`
  await db`
    insert into tokens.trades (
      network, block, log_index, traded_at, transaction_hash, pool, protocol_family, protocol_version, trader, sold_id,
      sold, bought_id, bought, usd
    )
    select 'base', 5, 0, ${testNowUnix - 60}, ${Buffer.alloc(32, 5)}::bytea, ${pool}::bytea, 'uniswap', 'v3',
      custody_address, ${token!.id}, 10, ${dollar!.id}, 20, 20
    from social.users where fid = 2`
}
