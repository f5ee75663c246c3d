import type {
  CastFilter,
  FollowFilter,
  ReactionFilter,
  TradeFilter,
  UserUpdatedFilter,
  WebhookEventKind,
  WebhookSubscriptionFilters,
} from '../../../graph/view/schema/webhook-filters.js'

/** A webhook that events are held against: its filters have been checked. */
export interface Subscription {
  readonly webhookId: string
  readonly filters: WebhookSubscriptionFilters
}

/** Any filter, with the members that it may have. */
export type AnyFilter = CastFilter & FollowFilter & ReactionFilter & TradeFilter & UserUpdatedFilter

/** The filters of a subscription by the kind of event that they are for. */
export function filtersByKind({ filters }: Subscription): [WebhookEventKind, AnyFilter][] {
  return Object.entries(filters) as [WebhookEventKind, AnyFilter][]
}

/** Members of which one must match, where any of them is given. A list without entries counts as not given. */
const selectorMembers = [
  'author_fids',
  'mentioned_fids',
  'parent_author_fids',
  'embedded_cast_author_fids',
  'embedded_cast_hashes',
  'parent_hashes',
  'parent_urls',
  'root_parent_urls',
  'embeds',
  'text',
  'fids',
  'target_fids',
  'target_cast_hashes',
] as const satisfies readonly (keyof AnyFilter)[]

/** Whether the filter chooses at all, or takes everything that its narrowing members leave. */
export function hasSelectors(filter: AnyFilter): boolean {
  return selectorMembers.some((member) => {
    const value = filter[member]
    return value !== undefined && value.length > 0
  })
}

/** A hash as facts have it. */
export function normalizeHash(hash: string): string {
  const digits = hash.toLowerCase()
  return digits.startsWith('0x') ? digits : `0x${digits}`
}
