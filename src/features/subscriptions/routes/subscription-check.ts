import { Type } from '@sinclair/typebox'
import type { Hex } from 'viem'
import { ethAddressParameter, listParameter } from '../../../api/parameters.js'
import { PlazaError } from '../../../platform/errors.js'
import { defineOperation } from '../../operation.js'
import { fromChain } from '../../tokens/token-metadata.js'
import { readContracts } from '../followed-contracts.js'
import { presentTier } from '../present-subscription.js'
import { type SubscriptionCheck, SubscriptionCheckResponse } from '../schema/subscription.js'
import { readSubscriptionTimes } from '../subscribers.js'
import { readSubscriptions } from '../subscription-contract.js'

const MAX_ADDRESSES = 350

/** `GET /v2/stp/subscription_check` */
export const subscriptionCheck = defineOperation({
  method: 'GET',
  path: '/stp/subscription_check',
  tag: 'Onchain',
  summary: 'Subscription check',
  description:
    'Whether addresses have an active subscription at a contract of the Subscription Token Protocol, by the addresses ' +
    'as spelled in the request. Read from the chain, also for contracts that the server does not follow; for those ' +
    '`subscribed_at` is null. `tier` is null for contracts of version 1, and for subscriptions that were deactivated.',
  query: Type.Object({
    addresses: listParameter(ethAddressParameter({ description: 'Ethereum address.' }), {
      maxItems: MAX_ADDRESSES,
      description: 'Ethereum addresses.',
    }),
    contract_address: ethAddressParameter({ description: 'Address of the subscription contract.' }),
    chain_id: Type.String({
      pattern: '^[0-9]{1,15}$',
      patternText: 'the id of a chain: a whole number',
      description: 'Id of the chain of the contract.',
      examples: ['8453'],
    }),
  }),
  reply: SubscriptionCheckResponse,

  async handle({ db, tokenTracking, hydrator, clock }, { addresses, contract_address, chain_id }) {
    const rpc = [...tokenTracking.rpcs.values()].find(({ chain }) => chain.chainId === Number(chain_id))
    if (rpc === undefined) {
      throw new PlazaError('not_configured', `this server does not follow the chain ${chain_id}`, {
        property: 'chain_id',
      })
    }
    const address = contract_address.toLowerCase() as Hex
    const [contract] = await readContracts({ rpc, hydrator }, [address])
    if (contract === undefined) {
      const message = `${contract_address} is not a subscription contract on chain ${chain_id}`
      throw new PlazaError('bad_request.invalid_param', message, { property: 'contract_address' })
    }
    const accounts = addresses.map((each) => each.toLowerCase() as Hex)
    const [subscriptions, times] = await Promise.all([
      fromChain(rpc, (endpoint) =>
        readSubscriptions(
          endpoint,
          accounts.map((account) => ({ contract, account })),
        ),
      ),
      readSubscriptionTimes(db, contract, accounts),
    ])
    const subscribedAt = new Map(times.map((row) => [row.account, row.subscribedAt]))
    const entries = addresses.map((spelled, index): [string, SubscriptionCheck] => {
      const subscription = subscriptions[index]!
      const { expiresAt } = subscription
      const since = subscribedAt.get(accounts[index]!)
      const check = {
        object: 'subscribed_to_dehydrated' as const,
        status: expiresAt * 1000 > clock(),
        subscribed_at: since === undefined ? null : since * 1000,
        expires_at: expiresAt === 0 ? null : expiresAt * 1000,
        // Contracts of version 1 have no tiers, and one that was deactivated after its end is in tier 0, which is none.
        tier: expiresAt === 0 || !subscription.tierId ? null : presentTier(contract, subscription),
      }
      return [spelled, check]
    })
    return Object.fromEntries(entries)
  },
})
