import { type Static, Type } from '@sinclair/typebox'
import { CastHash, Fid } from './primitives.js'

/** The largest list of fids: more than any app selects by name, and less than a body can hold. */
const MAX_FIDS = 100_000
const MAX_HASHES = 10_000
const MAX_URLS = 10_000
/** The length limit of URLs in casts. */
const MAX_URL_LENGTH = 2_048
/** Longer than any cast: a longer pattern is a program. */
export const MAX_PATTERN_LENGTH = 1_000

const fids = (description: string) => Type.Optional(Type.Array(Fid, { maxItems: MAX_FIDS, description }))
const hashes = (description: string) =>
  Type.Optional(
    Type.Array(
      Type.String({ pattern: CastHash.pattern!, patternText: 'the hash of a cast: 40 hex digits' }),
      {
        maxItems: MAX_HASHES,
        description,
      },
    ),
  )
const urls = (description: string) =>
  Type.Optional(
    Type.Array(Type.String({ minLength: 1, maxLength: MAX_URL_LENGTH }), { maxItems: MAX_URLS, description }),
  )
const pattern = (description: string) =>
  Type.Optional(Type.String({ minLength: 1, maxLength: MAX_PATTERN_LENGTH, description }))

/** Filters of cast events. */
export const WebhookSubscriptionFiltersCast = Type.Object(
  {
    author_fids: fids('Who cast it.'),
    exclude_author_fids: fids('Casts of these authors are left out, whatever else matches.'),
    mentioned_fids: fids('Whom it mentions.'),
    parent_author_fids: fids('Whose cast it replies to.'),
    embedded_cast_author_fids: fids('Whose cast it embeds.'),
    embedded_cast_hashes: hashes('Which cast it embeds.'),
    parent_hashes: hashes('Which cast it replies to.'),
    parent_urls: urls('Which URL it replies to, in exactly these letters.'),
    root_parent_urls: urls('Which URL its thread stands below, in exactly these letters.'),
    embeds: pattern('A regular expression of RE2 that finds something in a URL that it embeds.'),
    text: pattern('A regular expression of RE2 that finds something in its `text`.'),
    minimum_author_score: Type.Optional(
      Type.Number({
        minimum: 0,
        maximum: 1,
        default: 0,
        description: 'Casts of authors with a lower score are left out, whatever else matches.',
      }),
    ),
  },
  {
    $id: 'WebhookSubscriptionFiltersCast',
    description:
      'One of the members must match; `exclude_author_fids` and `minimum_author_score` narrow. None: every cast.',
  },
)

/** Filters of follow events. */
export const WebhookSubscriptionFiltersFollow = Type.Object(
  {
    fids: fids('Who follows.'),
    target_fids: fids('Who is followed.'),
  },
  {
    $id: 'WebhookSubscriptionFiltersFollow',
    description: 'One of the members must match. None: every follow.',
  },
)

/** Filters of reaction events. */
export const WebhookSubscriptionFiltersReaction = Type.Object(
  {
    fids: fids('Who reacts.'),
    target_fids: fids('Whose cast it is.'),
    target_cast_hashes: hashes('Which cast it is.'),
  },
  {
    $id: 'WebhookSubscriptionFiltersReaction',
    description: 'One of the members must match. None: every reaction.',
  },
)

/** Filters of trade events. */
export const WebhookSubscriptionFiltersTrade = Type.Object(
  {
    fids: fids('Who trades.'),
    minimum_token_amount_usdc: Type.Optional(
      Type.Number({ minimum: 0, description: 'Trades of less are left out.' }),
    ),
    minimum_trader_service_score: Type.Optional(
      Type.Number({
        minimum: 0,
        maximum: 1,
        description: 'Trades of traders with a lower score are left out.',
      }),
    ),
  },
  { $id: 'WebhookSubscriptionFiltersTrade', description: 'The minima narrow. No member: every trade.' },
)

/** Filters of user events. */
export const WebhookSubscriptionFiltersUserUpdated = Type.Object(
  { fids: fids('Who has changed.') },
  { $id: 'WebhookSubscriptionFiltersUserUpdated', description: 'None: every user.' },
)

/** The filters of a subscription, by kind of event. */
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
  { $id: 'WebhookSubscriptionFilters', description: 'The kinds of events to send, and which of each kind.' },
)
export type WebhookSubscriptionFilters = Static<typeof WebhookSubscriptionFilters>
export type CastFilter = Static<typeof WebhookSubscriptionFiltersCast>
export type FollowFilter = Static<typeof WebhookSubscriptionFiltersFollow>
export type ReactionFilter = Static<typeof WebhookSubscriptionFiltersReaction>
export type TradeFilter = Static<typeof WebhookSubscriptionFiltersTrade>
export type UserUpdatedFilter = Static<typeof WebhookSubscriptionFiltersUserUpdated>

/** The kinds of events. */
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
