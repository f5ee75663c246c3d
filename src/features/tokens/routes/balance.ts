import { Type } from '@sinclair/typebox'
import { formatUnits, getAddress, type Hex } from 'viem'
import { fidParameter, listParameter } from '../../../api/parameters.js'
import { type AddressBalance, BalanceResponse } from '../../../graph/view/schema/fungible.js'
import type { NetworkName } from '../../../hub/chain/networks.js'
import type { Database } from '../../../platform/db/connection.js'
import { PlazaError } from '../../../platform/errors.js'
import { defineOperation } from '../../operation.js'
import { rpcOf } from '../on-demand-tokens.js'
import { decimalString } from '../present-token.js'
import { networkParameter } from './token-owners.js'

export const userBalance = defineOperation({
  method: 'GET',
  path: 'user/balance',
  tag: 'Onchain',
  summary: 'Fetch token balance of user',
  description:
    'Balances of the user’s custody address and verified Ethereum addresses, by address and network. Only ' +
    'tokens whose owners this server indexes are listed; native coins are not.',
  query: Type.Object({
    fid: fidParameter({ description: 'Fid of the user.' }),
    networks: listParameter(networkParameter, { maxItems: 5, description: 'Networks to include.' }),
  }),
  reply: BalanceResponse,
  notFound: 'There is no user with this fid.',

  async handle({ db, hydrator, assets }, { fid, networks }) {
    const followed = new Set(networks.map((network) => rpcOf(assets, network).network.name))
    const [users, heldTokens] = await Promise.all([
      hydrator.dehydratedUsers([fid]),
      readHeldTokens(db, fid, [...followed]),
    ])
    const user = users.get(fid)
    if (!user) throw new PlazaError('not_found', `there is no user with fid ${fid}`, { property: 'fid' })
    const tokensByHolder = new Map<string, HeldToken[]>()
    for (const token of heldTokens) {
      const holderKey = `${token.network} ${token.holder}`
      tokensByHolder.set(holderKey, [...(tokensByHolder.get(holderKey) ?? []), token])
    }
    return {
      user_balance: {
        object: 'user_balance' as const,
        user,
        address_balances: [...tokensByHolder.values()].map(addressBalance),
      },
    }
  },
})

function addressBalance(tokens: readonly HeldToken[]): AddressBalance {
  const { holder, network } = tokens[0]!
  return {
    object: 'address_balance',
    verified_address: { address: holder, network },
    token_balances: tokens.map(({ address, name, symbol, decimals, balance, priceUsd }) => {
      const units = formatUnits(BigInt(balance), decimals)
      return {
        object: 'token_balance',
        token: { object: 'token', name, symbol, address: getAddress(address as Hex), decimals },
        balance: { in_token: units, in_usdc: decimalString(Number(units) * (priceUsd ?? 0)) },
      }
    }),
  }
}

interface HeldToken {
  /** Lowercase hex with 0x. */
  readonly holder: string
  readonly network: NetworkName
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
async function readHeldTokens(db: Database, fid: number, networks: readonly NetworkName[]) {
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
