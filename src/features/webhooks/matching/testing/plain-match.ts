import { RE2JS } from 're2js'
import type { EventFacts } from '../facts.js'
import { type AnyFilter, filtersByKind, plainHash, type Subscription } from '../subscription.js'

/** What docs/webhooks.md says of filters, as plainly as it can be written: each against each, nothing prepared. */
export function plainMatch(subscriptions: readonly Subscription[], event: EventFacts): string[] {
  return subscriptions
    .filter((subscription) =>
      filtersByKind(subscription).some(([kind, filter]) => kind === event.kind && isFor(filter, event)),
    )
    .map(({ webhookId }) => webhookId)
}

function isFor(filter: AnyFilter, event: EventFacts): boolean {
  switch (event.kind) {
    case 'cast.created':
    case 'cast.deleted':
      return (
        !(filter.exclude_author_fids ?? []).includes(event.authorFid) &&
        event.authorScore >= (filter.minimum_author_score ?? 0) &&
        anyOf([
          among(filter.author_fids, [event.authorFid]),
          among(filter.mentioned_fids, event.mentionedFids),
          among(filter.parent_author_fids, [event.parentFid]),
          among(filter.embedded_cast_author_fids, event.embeddedFids),
          among(filter.embedded_cast_hashes?.map(plainHash), event.embeddedHashes),
          among(filter.parent_hashes?.map(plainHash), [event.parentHash]),
          among(filter.parent_urls, [event.parentUrl]),
          among(filter.root_parent_urls, [event.rootParentUrl]),
          finds(filter.embeds, event.embeddedUrls),
          finds(filter.text, [event.text]),
        ])
      )
    case 'follow.created':
    case 'follow.deleted':
      return anyOf([among(filter.fids, [event.fid]), among(filter.target_fids, [event.targetFid])])
    case 'reaction.created':
    case 'reaction.deleted':
      return anyOf([
        among(filter.fids, [event.fid]),
        among(filter.target_fids, [event.targetFid]),
        among(filter.target_cast_hashes?.map(plainHash), [event.targetHash]),
      ])
    case 'trade.created':
      return (
        event.amountUsdc >= (filter.minimum_token_amount_usdc ?? 0) &&
        event.traderScore >= (filter.minimum_trader_service_score ?? 0) &&
        anyOf([among(filter.fids, [event.fid])])
      )
    case 'user.created':
      return true
    case 'user.updated':
      return anyOf([among(filter.fids, [event.fid])])
  }
}

/** Null where the member is not given. */
function among<Value>(wanted: readonly Value[] | undefined, has: readonly (Value | null)[]): boolean | null {
  if (wanted === undefined || wanted.length === 0) return null
  return has.some((value) => value !== null && wanted.includes(value))
}

function finds(pattern: string | undefined, texts: readonly string[]): boolean | null {
  if (pattern === undefined || pattern === '') return null
  return texts.some((text) => RE2JS.compile(pattern).matcher(text).find())
}

/** One that is given matches, or none is given. */
function anyOf(verdicts: readonly (boolean | null)[]): boolean {
  const given = verdicts.filter((verdict) => verdict !== null)
  return given.length === 0 || given.includes(true)
}
