import { getAddress } from 'viem'
import type { ListedContract } from './followed-contracts.js'
import type { SubscriptionTierView, SubscriptionView } from './schema/subscription.js'
import type { ContractSubscription, SubscriptionPrice } from './subscription-contract.js'

/** Name of the protocol in the API. */
export const PROVIDER = 'fabric_stp'

/** Renders a contract. */
export function presentContract(contract: ListedContract, artUrl: string): SubscriptionView {
  const { token } = contract
  return {
    object: 'subscription',
    provider_name: PROVIDER,
    contract_address: getAddress(contract.address),
    chain: contract.chainId,
    metadata: { title: contract.name, symbol: contract.symbol, art_url: artUrl },
    owner_address: getAddress(contract.owner),
    price: presentPrice(contract.price),
    tiers: contract.tiers.map(({ id, price }) => ({ id, price: presentPrice(price) })),
    protocol_version: contract.version,
    token: {
      symbol: token.symbol,
      address: token.address === null ? null : getAddress(token.address),
      decimals: token.decimals,
      erc20: token.address !== null,
    },
  }
}

/**
 * Renders the tier of a subscription; contracts of version 1 have one price without an id. A tier beyond those that are
 * read has no price.
 */
export function presentTier(
  contract: ListedContract,
  { tierId }: ContractSubscription,
): SubscriptionTierView {
  if (tierId === null) return { price: presentPrice(contract.price) }
  const tier = contract.tiers.find(({ id }) => id === tierId)
  return { id: tierId, ...(tier && { price: presentPrice(tier.price) }) }
}

/** Formats Unix seconds. */
export function dateTime(seconds: number): string {
  return new Date(seconds * 1000).toISOString()
}

function presentPrice({ periodSeconds, tokensPerPeriod, initialMintPrice }: SubscriptionPrice) {
  return {
    period_duration_seconds: periodSeconds,
    tokens_per_period: tokensPerPeriod,
    initial_mint_price: initialMintPrice,
  }
}
