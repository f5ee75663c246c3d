import { getAddress, type Hex } from 'viem'
import type { ChainRpc } from '../../hub/chain/chain-rpc.js'
import type { NetworkName } from '../../hub/chain/networks.js'
import type { Database, Queryable, Transaction } from '../../platform/db/connection.js'
import { type Refusal, refuse } from '../../platform/errors.js'
import { dollarTokens } from './dollar-tokens.js'
import { readTokens, type Token } from './token.js'
import { readPoolTokens, readTokenDetails, type TokenDetails } from './token-details.js'

/** What somebody wants to be kept of a token. */
export interface Wanted {
  readonly address: Buffer
  readonly keptFor: 'operator' | 'request'
  /** Where its transfers begin; without it, that is looked for. */
  readonly firstBlock?: number | undefined
  readonly logo?: string | undefined
  /** Whether a unit is worth a dollar; the best known ones are known here. */
  readonly isDollar?: boolean | undefined
}

/** Whoever asks for tokens counts them one after the other. */
const ASKING = 'plaza asked tokens'

/**
 * Has the owners of a token kept. What the operator has said stays: who only asks changes nothing.
 *
 * @param mostAsked So many are kept that somebody has only asked for.
 * @returns the token, or why there is none.
 */
export async function keepToken(
  db: Database,
  rpc: ChainRpc,
  wanted: Wanted,
  mostAsked?: number,
): Promise<Token | Refusal> {
  const { name: network } = rpc.network
  const hex = `0x${wanted.address.toString('hex')}` as const
  const details = await rpc.with((endpoint) => readTokenDetails(endpoint, hex))
  if (details === null) {
    return refuse('bad_request.invalid_param', `${getAddress(hex)} is no ERC-20 token on ${network}`)
  }
  const token = { ...details, ...wanted }
  if (mostAsked === undefined) await saveToken(db, network, token)
  else if (!(await saveAsked(db, network, token, mostAsked))) return oneTooMany(wanted.address)
  const [kept] = await readTokens(db, { network, addresses: [wanted.address] })
  return kept!
}

/** Why a token is not kept that somebody has only asked for. */
export function oneTooMany(address: Buffer): Refusal {
  const hex = getAddress(`0x${address.toString('hex')}`)
  return refuse('not_found', `the owners of ${hex} are not kept here: plaza token watch`)
}

/** How many tokens are kept that somebody has only asked for. */
export async function countAsked(db: Queryable): Promise<number> {
  const [row] = await db<{ asked: number }[]>`
    select count(*)::integer as asked from assets.tokens where kept_for = 'request'
  `
  return row!.asked
}

/** @returns false when so many are kept without it. */
async function saveAsked(db: Database, network: NetworkName, token: Saved, most: number): Promise<boolean> {
  return await db.begin(async (transaction) => {
    await transaction`select pg_advisory_xact_lock(hashtextextended(${ASKING}, 0))`
    const [known] = await readTokens(transaction, { network, addresses: [token.address], onlyKept: true })
    if (known === undefined && (await countAsked(transaction)) >= most) return false
    await saveToken(transaction, network, token)
    return true
  })
}

/**
 * Has the swaps of a pool kept as trades, from now on.
 *
 * @returns the pool's two tokens, or why there is none.
 */
export async function keepPool(
  db: Database,
  rpc: ChainRpc,
  pool: Buffer,
): Promise<readonly Token[] | Refusal> {
  const { name: network } = rpc.network
  const hex = `0x${pool.toString('hex')}` as const
  const addresses = await rpc.with((endpoint) => readPoolTokens(endpoint, hex))
  if (addresses === null)
    return refuse('bad_request.invalid_param', `${getAddress(hex)} is no pool on ${network}`)
  for (const each of addresses) {
    const details = await rpc.with((endpoint) => readTokenDetails(endpoint, each))
    if (details === null) return refuse('bad_request.invalid_param', `${getAddress(each)} is no ERC-20 token`)
    await saveToken(db, network, { ...details, address: bytes(each), keptFor: null })
  }
  const tokens = await readTokens(db, { network, addresses: addresses.map(bytes) })
  const [first, second] = addresses.map((each) => tokens.find(({ address }) => address.equals(bytes(each)))!)
  await db`
    insert into assets.pools (network, address, token0_id, token1_id)
    values (${network}, ${pool}::bytea, ${first!.id}, ${second!.id})
    on conflict do nothing
  `
  return [first!, second!]
}

interface Saved extends TokenDetails, Omit<Wanted, 'keptFor'> {
  readonly keptFor: Wanted['keptFor'] | null
}

async function saveToken(db: Queryable, network: NetworkName, token: Saved): Promise<void> {
  const isDollar = token.isDollar ?? dollarTokens[network].includes(`0x${token.address.toString('hex')}`)
  await db`
    insert into assets.tokens as t (
      network, address, name, symbol, decimals, logo, kept_for, is_dollar, price_usd, price_rank, first_block
    )
    values (
      ${network}, ${token.address}::bytea, ${token.name}, ${token.symbol}, ${token.decimals}, ${token.logo ?? null},
      ${token.keptFor}, ${isDollar}, ${isDollar ? 1 : null}::float8, ${isDollar ? 0 : null}::smallint,
      ${token.firstBlock ?? null}::bigint
    )
    on conflict (network, address) do update
    set logo = coalesce(excluded.logo, t.logo),
        kept_for = case when 'operator' in (t.kept_for, excluded.kept_for) then 'operator'
          else coalesce(t.kept_for, excluded.kept_for) end,
        is_dollar = t.is_dollar or excluded.is_dollar,
        price_usd = case when excluded.is_dollar then 1 else t.price_usd end,
        price_rank = case when excluded.is_dollar then 0 else t.price_rank end,
        first_block = coalesce(t.first_block, excluded.first_block)
  `
}

/**
 * Forgets who owns a token, and its pools.
 *
 * @returns false when nothing was kept of it.
 */
export async function dropToken(db: Database, network: NetworkName, address: Buffer): Promise<boolean> {
  return await db.begin(async (transaction) => {
    const [token] = await transaction<{ id: number }[]>`
      update assets.tokens set kept_for = null
      where network = ${network} and address = ${address}::bytea and kept_for is not null
      returning id
    `
    if (token === undefined) return false
    await forgetBalances(transaction, [token.id])
    await transaction`
      delete from assets.pools p
      using assets.tokens a, assets.tokens b
      where a.id = p.token0_id and b.id = p.token1_id and ${token.id} in (a.id, b.id)
        and a.kept_for is null and b.kept_for is null
    `
    return true
  })
}

/** Takes back all that is known of who owns these tokens: it is read anew as long as somebody wants it. */
export async function forgetBalances(db: Transaction, tokenIds: readonly number[]): Promise<void> {
  const ids = [...tokenIds]
  // Millions of balances take longer than a request may.
  await db`set local statement_timeout to 0`
  // First: whoever counts transfers now holds these rows, and sees afterwards that they are not to be counted.
  const rows = await db<{ follower: string }[]>`
    update assets.tokens
    set live_from = null, read_to = null
    where id = any (${ids}::integer[])
    returning network || '/token/0x' || encode(address, 'hex') as follower
  `
  await db`delete from assets.balances where token_id = any (${ids}::integer[])`
  await db`delete from assets.changes where token_id = any (${ids}::integer[])`
  await db`delete from chain.followers where name = any (${db.types.texts(rows.map(({ follower }) => follower))}::text[])`
}

/** The name of the follower that reads a token's past. */
export function historyFollower({ network, address }: Pick<Token, 'network' | 'address'>): string {
  return `${network}/token/0x${address.toString('hex')}`
}

function bytes(hex: Hex): Buffer {
  return Buffer.from(hex.slice(2), 'hex')
}
