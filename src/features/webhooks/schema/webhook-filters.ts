import { type Static, Type } from '@sinclair/typebox'
import { CastHash, Fid } from '../../../graph/view/schema/primitives.js'

/** Maximum fids in a list; they fit into a body of 1 MiB. */
const MAX_FIDS = 100_000
const MAX_HASHES = 10_000
const MAX_URLS = 10_000
/** As long as a URL in a cast may be. */
const MAX_URL_LENGTH = 2_048
/** Maximum length of a pattern. */
export const MAX_PATTERN_LENGTH = 1_000

const fids = (description: string) =>
  Type.Optional(Type.Array(Fid, { maxItems: MAX_FIDS, description, examples: [] }))
const hashes = (description: string) =>
  Type.Optional(
    Type.Array(
      Type.String({ pattern: CastHash.pattern!, patternText: 'the hash of a cast: 40 hex digits' }),
      {
        maxItems: MAX_HASHES,
        description,
        examples: [],
      },
    ),
  )
const urls = (description: string) =>
  Type.Optional(
    Type.Array(Type.String({ minLength: 1, maxLength: MAX_URL_LENGTH }), {
      maxItems: MAX_URLS,
      description,
      examples: [],
    }),
  )
const pattern = (description: string) =>
  Type.Optional(Type.String({ minLength: 1, maxLength: MAX_PATTERN_LENGTH, description, examples: [] }))

/** Filters of casts. */
export const WebhookSubscriptionFiltersCast = Type.Object(
  {
    author_fids: fids('Authors of the cast.'),
    exclude_author_fids: fids('Leaves out casts by these authors, whatever else matches.'),
    mentioned_fids: fids('Users that the cast mentions.'),
    parent_author_fids: fids('Authors of the cast that it replies to.'),
    embedded_cast_author_fids: fids('Authors of a cast that it embeds.'),
    embedded_cast_hashes: hashes('Casts that it embeds.'),
    parent_hashes: hashes('Casts that it replies to.'),
    parent_urls: urls('URLs that it replies to, compared exactly.'),
    root_parent_urls: urls('Root parent URLs of its thread, compared exactly.'),
    embeds: pattern('RE2 regular expression that matches in an embedded URL.'),
    text: pattern('RE2 regular expression that matches in its `text`.'),
    minimum_author_score: Type.Optional(
      Type.Number({
        minimum: 0,
        maximum: 1,
        default: 0,
        description: 'Leaves out casts by authors with a lower score, whatever else matches.',
        examples: [],
      }),
    ),
  },
  {
    $id: 'WebhookSubscriptionFiltersCast',
    description:
      'One member must match; `exclude_author_fids` and `minimum_author_score` narrow the result. Without members, every ' +
      'cast matches.',
    examples: [{ author_fids: [3], text: '(?i)tomato' }],
  },
)

/** Filters of follows. */
export const WebhookSubscriptionFiltersFollow = Type.Object(
  {
    fids: fids('Users who follow.'),
    target_fids: fids('Users who are followed.'),
  },
  {
    $id: 'WebhookSubscriptionFiltersFollow',
    description: 'One member must match. Without members, every follow matches.',
  },
)

/** Filters of reactions. */
export const WebhookSubscriptionFiltersReaction = Type.Object(
  {
    fids: fids('Users who react.'),
    target_fids: fids('Authors of the cast.'),
    target_cast_hashes: hashes('Casts that are reacted to.'),
  },
  {
    $id: 'WebhookSubscriptionFiltersReaction',
    description: 'One member must match. Without members, every reaction matches.',
  },
)

const minimumTraderScore = Type.Number({
  minimum: 0,
  maximum: 1,
  description: 'Minimum score of the trader. It has two names, of which one is enough.',
  examples: [],
})

/** Filters of trades. */
export const WebhookSubscriptionFiltersTrade = Type.Object(
  {
    fids: fids('Users who trade.'),
    minimum_token_amount_usdc: Type.Optional(
      Type.Number({ minimum: 0, description: 'Minimum value of a trade.', examples: [] }),
    ),
    minimum_trader_service_score: Type.Optional(minimumTraderScore),
    minimum_trader_neynar_score: Type.Optional(minimumTraderScore),
  },
  {
    $id: 'WebhookSubscriptionFiltersTrade',
    description: 'All members must match. Without members, every trade matches.',
  },
)

/** Filters of changes of users. */
export const WebhookSubscriptionFiltersUserUpdated = Type.Object(
  { fids: fids('Users who have changed.') },
  { $id: 'WebhookSubscriptionFiltersUserUpdated', description: 'Without members, every user matches.' },
)

/** Filters of a subscription, by type of event. */
export const WebhookSubscriptionFilters = Type.Object(
  {
    'cast.created': Type.Optional(WebhookSubscriptionFiltersCast),
    'cast.deleted': Type.Optional(WebhookSubscriptionFiltersCast),
    'follow.created': Type.Optional(WebhookSubscriptionFiltersFollow),
    'follow.deleted': Type.Optional(WebhookSubscriptionFiltersFollow),
    'reaction.created': Type.Optional(WebhookSubscriptionFiltersReaction),
    'reaction.deleted': Type.Optional(WebhookSubscriptionFiltersReaction),
    'trade.created': Type.Optional(WebhookSubscriptionFiltersTrade),
    'user.created': Type.Optional(Type.Object({})),
    'user.updated': Type.Optional(WebhookSubscriptionFiltersUserUpdated),
  },
  {
    $id: 'WebhookSubscriptionFilters',
    description: 'Types of events to send, with the filters of each type.',
    examples: [{ 'cast.created': { author_fids: [3] }, 'follow.created': { target_fids: [3] } }],
  },
)
export type WebhookSubscriptionFilters = Static<typeof WebhookSubscriptionFilters>
export type CastFilter = Static<typeof WebhookSubscriptionFiltersCast>
export type FollowFilter = Static<typeof WebhookSubscriptionFiltersFollow>
export type ReactionFilter = Static<typeof WebhookSubscriptionFiltersReaction>
export type TradeFilter = Static<typeof WebhookSubscriptionFiltersTrade>

/** The types of events. */
export const webhookEventKinds = [
  'cast.created',
  'cast.deleted',
  'follow.created',
  'follow.deleted',
  'reaction.created',
  'reaction.deleted',
  'trade.created',
  'user.created',
  'user.updated',
] as const satisfies readonly (keyof WebhookSubscriptionFilters)[]
export type WebhookEventKind = (typeof webhookEventKinds)[number]
