import type {
  CastFilter,
  FollowFilter,
  ReactionFilter,
  TradeFilter,
  UserUpdatedFilter,
  WebhookEventKind,
  WebhookSubscriptionFilters,
} from '../../../graph/view/schema/webhook-filters.js'

/** A webhook's validated filters. */
export interface Subscription {
  readonly webhookId: string
  readonly filters: WebhookSubscriptionFilters
}

/** Any filter with all members that it may have. */
export type AnyFilter = CastFilter & FollowFilter & ReactionFilter & TradeFilter & UserUpdatedFilter

/** Returns a subscription's filters by event kind. */
export function filtersByKind({ filters }: Subscription): [WebhookEventKind, AnyFilter][] {
  return Object.entries(filters) as [WebhookEventKind, AnyFilter][]
}

/** Members of which one must match when any is given. An empty list counts as not given. */
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

/** Whether the filter has selectors; otherwise it matches every event that its other members allow. */
export function hasSelectors(filter: AnyFilter): boolean {
  return selectorMembers.some((member) => {
    const value = filter[member]
    return value !== undefined && value.length > 0
  })
}

/** Normalizes a hash to the form in facts. */
export function normalizeHash(hash: string): string {
  const digits = hash.toLowerCase()
  return digits.startsWith('0x') ? digits : `0x${digits}`
}
