import { RE2JS } from 're2js'
import type { EventFacts } from '../filter-index.js'
import { type AnyFilter, filtersByKind, normalizeHash } from '../filters.js'
import type { WebhookSubscription } from '../matcher.js'

/** Reference implementation of docs/webhooks.md: compares every subscription without an index. */
export function referenceMatch(subscriptions: readonly WebhookSubscription[], event: EventFacts): string[] {
  return subscriptions
    .filter(({ filters }) =>
      filtersByKind(filters).some(([kind, filter]) => kind === event.kind && filterMatches(filter, event)),
    )
    .map(({ webhookId }) => webhookId)
}

function filterMatches(filter: AnyFilter, event: EventFacts): boolean {
  switch (event.kind) {
    case 'cast.created':
    case 'cast.deleted':
      return (
        !(filter.exclude_author_fids ?? []).includes(event.authorFid) &&
        event.authorScore >= (filter.minimum_author_score ?? 0) &&
        anySelectorMatches([
          includesAny(filter.author_fids, [event.authorFid]),
          includesAny(filter.mentioned_fids, event.mentionedFids),
          includesAny(filter.parent_author_fids, [event.parentFid]),
          includesAny(filter.embedded_cast_author_fids, event.embeddedFids),
          includesAny(filter.embedded_cast_hashes?.map(normalizeHash), event.embeddedHashes),
          includesAny(filter.parent_hashes?.map(normalizeHash), [event.parentHash]),
          includesAny(filter.parent_urls, [event.parentUrl]),
          includesAny(filter.root_parent_urls, [event.rootParentUrl]),
          patternMatches(filter.embeds, event.embeddedUrls),
          patternMatches(filter.text, [event.text]),
        ])
      )
    case 'follow.created':
    case 'follow.deleted':
      return anySelectorMatches([
        includesAny(filter.fids, [event.fid]),
        includesAny(filter.target_fids, [event.targetFid]),
      ])
    case 'reaction.created':
    case 'reaction.deleted':
      return anySelectorMatches([
        includesAny(filter.fids, [event.fid]),
        includesAny(filter.target_fids, [event.targetFid]),
        includesAny(filter.target_cast_hashes?.map(normalizeHash), [event.targetHash]),
      ])
    case 'trade.created':
      return (
        event.amountUsdc >= (filter.minimum_token_amount_usdc ?? 0) &&
        event.traderScore >= (filter.minimum_trader_service_score ?? 0) &&
        anySelectorMatches([includesAny(filter.fids, [event.fid])])
      )
    case 'user.created':
      return true
    case 'user.updated':
      return anySelectorMatches([includesAny(filter.fids, [event.fid])])
  }
}

/** Whether a list includes any value; null when the member is not given. */
function includesAny<Value>(
  listed: readonly Value[] | undefined,
  actual: readonly (Value | null)[],
): boolean | null {
  if (listed === undefined || listed.length === 0) return null
  return actual.some((value) => value !== null && listed.includes(value))
}

function patternMatches(pattern: string | undefined, texts: readonly string[]): boolean | null {
  if (pattern === undefined || pattern === '') return null
  return texts.some((text) => RE2JS.compile(pattern).matcher(text).find())
}

/** Whether a given selector matches, or none is given. */
function anySelectorMatches(results: readonly (boolean | null)[]): boolean {
  const given = results.filter((result) => result !== null)
  return given.length === 0 || given.includes(true)
}
