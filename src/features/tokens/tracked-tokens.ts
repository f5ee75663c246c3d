import { getAddress } from 'viem'
import type { Fragment } from '#postgres'
import type { ChainRpc } from '../../hub/chain/chain-rpc.js'
import type { ChainName } from '../../hub/chain/chains.js'
import type { Database, Queryable, Transaction } from '../../platform/db/connection.js'
import { writesTo } from '../../platform/db/fingerprint.js'
import { type Refusal, refuse } from '../../platform/errors.js'
import { bytesOfHex, hexOf } from '../../protocol/bytes.js'
import { readTokens, type Token } from './token.js'
import { readPoolTokens, readTokenDetails, type TokenDetails } from './token-details.js'

/** Default dollar tokens: USDC, and USDT and DAI on Ethereum. The operator can replace them. */
const dollarTokens: Readonly<Partial<Record<ChainName, readonly string[]>>> = {
  ethereum: [
    '0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48',
    '0xdac17f958d2ee523a2206206994597c13d831ec7',
    '0x6b175474e89094c44da98b954eedeac495271d0f',
  ],
  optimism: ['0x0b2c639c533813f4aa9d7837caf62653d097ff85'],
  base: ['0x833589fcd6edb6e08f4c7c32d4f71b54bda02913'],
  arbitrum: ['0xaf88d065e77c8cc2239327c5edb3a432268e5831'],
}

/** The part of an RPC that reads tokens. */
type TokenRpc = Pick<ChainRpc, 'chain' | 'withEndpoint'>

/** A token to track. */
export interface TokenToTrack {
  readonly address: Buffer
  readonly trackedBy: 'operator' | 'request'
  /** First block with transfers; searched when omitted. */
  readonly firstBlock?: number | undefined
  readonly logo?: string | undefined
  /** Whether a unit is worth a dollar; well-known dollar tokens are built in. */
  readonly isDollar?: boolean | undefined
}

/** Serializes on-demand requests, so that the limit holds. */
const ON_DEMAND_LOCK = 'plaza on-demand tokens'

/** Tracks the owners of a token. An on-demand request never changes the operator's settings. */
export async function trackToken(
  db: Database,
  rpc: TokenRpc,
  request: TokenToTrack,
  maxTrackedTokens?: number,
): Promise<Token | Refusal> {
  const { name: network } = rpc.chain
  const hex = hexOf(request.address)
  const details = await rpc.withEndpoint((endpoint) => readTokenDetails(endpoint, hex))
  if (details === null) {
    return refuse('bad_request.invalid_param', `${getAddress(hex)} is not an ERC-20 token on ${network}`)
  }
  const token = { ...details, ...request }
  if (maxTrackedTokens === undefined) await saveToken(db, network, token)
  else if (!(await saveOnDemandToken(db, network, token, maxTrackedTokens)))
    return trackingLimitRefusal(request.address)
  const [tracked] = await readTokens(db, { network, addresses: [request.address] })
  return tracked!
}

/** Refusal when the limit of tokens tracked on demand is reached. */
export function trackingLimitRefusal(address: Buffer): Refusal {
  const hex = getAddress(hexOf(address))
  return refuse('not_found', `the owners of ${hex} are not tracked here: plaza token watch`)
}

/** Counts the tokens tracked on demand. */
export async function countOnDemandTokens(db: Queryable): Promise<number> {
  const [row] = await db<{ requested: number }[]>`
    select count(*)::integer as requested from tokens.tokens where tracked_by = 'request'
  `
  return row!.requested
}

/** Stores a token tracked on demand. Returns false when the limit is reached. */
async function saveOnDemandToken(db: Database, network: ChainName, token: TokenToSave, limit: number) {
  return await db.begin(async (transaction) => {
    await transaction`select pg_advisory_xact_lock(hashtextextended(${ON_DEMAND_LOCK}, 0))`
    const { address } = token
    const [existing] = await readTokens(transaction, { network, addresses: [address], onlyTracked: true })
    if (existing === undefined && (await countOnDemandTokens(transaction)) >= limit) return false
    await saveToken(transaction, network, token)
    return true
  })
}

/** Tracks the swaps of a pool as trades from now on. Returns the pool's two tokens, or a refusal. */
export async function trackPool(db: Database, rpc: TokenRpc, pool: Buffer): Promise<Token[] | Refusal> {
  const { name: network } = rpc.chain
  const hex = hexOf(pool)
  const addresses = await rpc.withEndpoint((endpoint) => readPoolTokens(endpoint, hex))
  if (addresses === null)
    return refuse('bad_request.invalid_param', `${getAddress(hex)} is not a pool on ${network}`)
  for (const each of addresses) {
    const details = await rpc.withEndpoint((endpoint) => readTokenDetails(endpoint, each))
    if (details === null)
      return refuse('bad_request.invalid_param', `${getAddress(each)} is not an ERC-20 token`)
    await saveToken(db, network, { ...details, address: bytesOfHex(each), trackedBy: null })
  }
  const tokens = await readTokens(db, { network, addresses: addresses.map(bytesOfHex) })
  const [first, second] = addresses.map(
    (each) => tokens.find(({ address }) => address.equals(bytesOfHex(each)))!,
  )
  await db`
    insert into tokens.pools (network, address, token0_id, token1_id)
    values (${network}, ${pool}::bytea, ${first!.id}, ${second!.id})
    on conflict do nothing
  `
  return [first!, second!]
}

interface TokenToSave extends TokenDetails, Omit<TokenToTrack, 'trackedBy'> {
  readonly trackedBy: TokenToTrack['trackedBy'] | null
}

async function saveToken(db: Queryable, network: ChainName, token: TokenToSave): Promise<void> {
  const address = hexOf(token.address)
  const isDollar = token.isDollar ?? dollarTokens[network]?.includes(address) ?? false
  await db`
    insert into tokens.tokens as t (
      network, address, name, symbol, decimals, logo, tracked_by, is_dollar, price_usd, price_rank, first_block
    )
    values (
      ${network}, ${token.address}::bytea, ${token.name}, ${token.symbol}, ${token.decimals}, ${token.logo ?? null},
      ${token.trackedBy}, ${isDollar}, ${isDollar ? 1 : null}::float8, ${isDollar ? 0 : null}::smallint,
      ${token.firstBlock ?? null}::bigint
    )
    on conflict (network, address) do update
    set logo = coalesce(excluded.logo, t.logo),
        tracked_by = case when 'operator' in (t.tracked_by, excluded.tracked_by) then 'operator'
          else coalesce(t.tracked_by, excluded.tracked_by) end,
        is_dollar = t.is_dollar or excluded.is_dollar,
        price_usd = case when excluded.is_dollar then 1 else t.price_usd end,
        priced_at = case when excluded.is_dollar then null else t.priced_at end,
        price_rank = case when excluded.is_dollar then 0 else t.price_rank end,
        first_block = coalesce(t.first_block, excluded.first_block)
  `
}

/**
 * Locks the cursors of backfills. A backfill locks its cursor before its token, so a transaction that locks the token first would
 * deadlock with it.
 */
async function lockFollowers(db: Transaction, names: readonly string[]): Promise<void> {
  await db`
    select from chain.followers
    where name = any (${db.types.texts(names)}::text[])
    order by name
    for update
  `
}

/**
 * Stops tracking a token and deletes its first block, balances and pools. It is no longer a dollar token because the operator
 * said so. Returns false when it was not tracked.
 */
export async function untrackToken(db: Database, network: ChainName, address: Buffer): Promise<boolean> {
  return await db.begin(async (transaction) => {
    await lockFollowers(transaction, [backfillFollowerName({ network, address })])
    const isBuiltIn = dollarTokens[network]?.includes(hexOf(address)) ?? false
    const endsDollar = transaction`is_dollar and not ${isBuiltIn}::boolean`
    const [token] = await transaction<{ id: number }[]>`
      update tokens.tokens
      set tracked_by = null, first_block = null, is_dollar = is_dollar and ${isBuiltIn}::boolean,
        price_usd = case when ${endsDollar} then null else price_usd end,
        price_rank = case when ${endsDollar} then null else price_rank end,
        priced_at = case when ${endsDollar} then null else priced_at end
      -- Versions before have left the flag of tokens that are not tracked any more.
      where network = ${network} and address = ${address}::bytea and (tracked_by is not null or ${endsDollar})
      returning id
    `
    if (token === undefined) return false
    await deleteBalances(transaction, [token.id])
    await transaction`
      delete from tokens.pools p
      using tokens.tokens a, tokens.tokens b
      where a.id = p.token0_id and b.id = p.token1_id and ${token.id} in (a.id, b.id)
        and a.tracked_by is null and b.tracked_by is null
    `
    return true
  })
}

/**
 * Deletes all balances of tokens. Tracked tokens are backfilled again.
 *
 * @param options.keepsFollowers For a backfill that goes back to its first block by itself.
 */
export async function deleteBalances(
  db: Transaction,
  tokenIds: readonly number[],
  { keepsFollowers = false } = {},
): Promise<void> {
  const ids = [...tokenIds]
  // Deleting millions of rows takes longer than a request may.
  await db`set local statement_timeout to 0`
  const tokens = await db<Pick<Token, 'network' | 'address'>[]>`
    select network, address from tokens.tokens where id = any (${ids}::integer[])
  `
  await lockFollowers(db, tokens.map(backfillFollowerName))
  // Updates first: the live handler locks these rows and skips reset tokens afterwards.
  await db`
    update tokens.tokens
    set live_from = null, read_to = null, holder_count = null
    where id = any (${ids}::integer[])
  `
  await db`delete from tokens.balances where token_id = any (${ids}::integer[])`
  await db`delete from tokens.changes where token_id = any (${ids}::integer[])`
  if (keepsFollowers) return
  await db`delete from chain.followers where name = any (${db.types.texts(tokens.map(backfillFollowerName))}::text[])`
}

/** Returns the name of the follower that backfills a token. */
export function backfillFollowerName({ network, address }: Pick<Token, 'network' | 'address'>): string {
  return `${network}/token/0x${address.toString('hex')}`
}

/** Expressions that differ when tokens have changed. */
export function tokensFingerprint(db: Database): Fragment {
  return db`
    (select max(id) from tokens.tokens),
    ${writesTo(db, ['tokens.tokens'])}`
}
