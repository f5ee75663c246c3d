import { type Static, Type } from '@sinclair/typebox'
import { DateTime, EthAddress, namedObject, nullable, Url } from '../../../graph/view/schema/primitives.js'
import { User } from '../../../graph/view/schema/user.js'

const address = Type.String({ examples: EthAddress.examples })
const price = {
  period_duration_seconds: Type.Integer({ format: 'int64', examples: [2_592_000] }),
  tokens_per_period: Type.String({
    description: 'In the smallest unit of the token.',
    examples: ['5000000'],
  }),
  initial_mint_price: Type.String({ description: 'In the smallest unit of the token.', examples: ['0'] }),
}

const SubscriptionTier = namedObject('SubscriptionTier', {
  id: Type.Optional(Type.Integer({ examples: [1] })),
  price: Type.Optional(
    Type.Object({
      period_duration_seconds: Type.Optional(price.period_duration_seconds),
      tokens_per_period: Type.Optional(price.tokens_per_period),
      initial_mint_price: Type.Optional(price.initial_mint_price),
    }),
  ),
})
export type SubscriptionTierView = Static<typeof SubscriptionTier>

const subscriptionMembers = {
  object: Type.Literal('subscription'),
  provider_name: Type.Optional(Type.String({ examples: ['fabric_stp'] })),
  contract_address: address,
  chain: Type.Integer({ description: 'Chain id.', examples: [8453] }),
  metadata: Type.Object({
    title: Type.String({ examples: ['Garden club'] }),
    symbol: Type.String({ examples: ['GARDEN'] }),
    art_url: Type.String({ description: 'Empty if the contract has no image.', examples: Url.examples }),
  }),
  owner_address: address,
  price: Type.Object(price),
  tiers: Type.Optional(Type.Array(SubscriptionTier)),
  protocol_version: Type.Integer({ examples: [2] }),
  token: Type.Object({
    symbol: Type.String({ examples: ['USDC'] }),
    address: nullable(address),
    decimals: Type.Integer({ examples: [6] }),
    erc20: Type.Boolean(),
  }),
}

/** A subscription contract. */
export const Subscription = namedObject('Subscription', subscriptionMembers)
export type SubscriptionView = Static<typeof Subscription>

const SubscribedTo = namedObject('SubscribedTo', {
  ...subscriptionMembers,
  expires_at: DateTime,
  subscribed_at: DateTime,
  tier: SubscriptionTier,
  creator: User,
})

/** The subscriptions of a user. */
export const SubscribedToResponse = namedObject('SubscribedToResponse', {
  subscribed_to: Type.Optional(Type.Array(SubscribedTo)),
})

const Subscriber = namedObject('Subscriber', {
  object: Type.Literal('subscriber'),
  user: User,
  subscribed_to: Type.Object({
    object: Type.Literal('subscription_dehydrated'),
    provider_name: Type.String({ examples: ['fabric_stp'] }),
    contract_address: Type.Optional(address),
    chain: Type.Optional(Type.Integer({ examples: [8453] })),
    protocol_version: Type.Optional(Type.Integer({ examples: [2] })),
    expires_at: Type.Optional(DateTime),
    subscribed_at: Type.Optional(DateTime),
    tier_id: Type.Optional(Type.String({ examples: ['1'] })),
  }),
})

/** The subscribers of a user's contracts. */
export const SubscribersResponse = namedObject('SubscribersResponse', {
  subscribers: Type.Optional(Type.Array(Subscriber)),
})

const Subscriptions = namedObject('Subscriptions', { subscriptions_created: Type.Array(Subscription) })

/** The contracts of a user. The member repeats inside, as in the hosted API. */
export const SubscriptionsResponse = namedObject('SubscriptionsResponse', {
  subscriptions_created: Type.Optional(Type.Array(Subscriptions)),
})

const milliseconds = nullable(
  Type.Integer({ format: 'int64', description: 'Unix milliseconds.', examples: [1767225600000] }),
)

const SubscriptionCheck = namedObject('SubscriptionCheck', {
  object: Type.Literal('subscribed_to_dehydrated'),
  status: Type.Boolean({ description: 'Whether the subscription is active.' }),
  subscribed_at: milliseconds,
  expires_at: milliseconds,
  tier: nullable(SubscriptionTier),
})
export type SubscriptionCheck = Static<typeof SubscriptionCheck>

/** Subscriptions at a contract, by the addresses of the request. */
export const SubscriptionCheckResponse = Type.Record(Type.String(), SubscriptionCheck, {
  $id: 'SubscriptionCheckResponse',
  exampleKey: EthAddress.examples?.[0],
})
