import { compilePattern, type Pattern } from './pattern.js'
import type { AnyFilter } from './subscription.js'

/** Filter members that are regular expressions. */
export type PatternMember = 'text' | 'embeds'

/** A compiled filter of one event kind. */
export interface FilterEntry {
  readonly webhookId: string
  readonly filter: AnyFilter
  readonly excludedAuthors: ReadonlySet<number> | null
  /** 0 when the filter sets none. */
  readonly minimumScore: number
  readonly minimumAmount: number
  readonly patterns: Readonly<Record<PatternMember, Pattern | null>>
  /** Number of the last event checked, so that an event with several matching keys is checked once. */
  lastCheckedEvent: number
}

/** Compiles a filter. */
export function createFilterEntry(webhookId: string, filter: AnyFilter): FilterEntry {
  const { exclude_author_fids: excludedAuthors = [] } = filter
  return {
    webhookId,
    filter,
    excludedAuthors: excludedAuthors.length === 0 ? null : new Set(excludedAuthors),
    minimumScore:
      filter.minimum_author_score ??
      filter.minimum_trader_service_score ??
      filter.minimum_trader_neynar_score ??
      0,
    minimumAmount: filter.minimum_token_amount_usdc ?? 0,
    patterns: { text: compileOptionalPattern(filter.text), embeds: compileOptionalPattern(filter.embeds) },
    lastCheckedEvent: 0,
  }
}

/** Compiles a pattern; null for none. An invalid pattern matches nothing: saving has validated it. */
function compileOptionalPattern(source: string | undefined): Pattern | null {
  if (source === undefined || source === '') return null
  const pattern = compilePattern(source)
  return 'problem' in pattern ? { test: () => false } : pattern
}
