import { Type } from '@sinclair/typebox'
import { formatUnits, getAddress, type Hex } from 'viem'
import { fidParameter, listParameter } from '../../../api/parameters.js'
import { PlazaError } from '../../../platform/errors.js'
import { defineOperation } from '../../operation.js'
import { type HeldToken, readHeldTokens } from '../held-tokens.js'
import { rpcOf } from '../on-demand-tokens.js'
import { decimalString } from '../present-token.js'
import { type AddressBalance, BalanceResponse } from '../schema/fungible.js'
import { networkParameter } from './token-owners.js'

export const userBalance = defineOperation({
  method: 'GET',
  path: 'user/balance',
  isPublic: true,
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

  async handle({ db, hydrator, tokenTracking }, { fid, networks }) {
    const followed = new Set(networks.map((network) => rpcOf(tokenTracking, network, 'networks').chain.name))
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
