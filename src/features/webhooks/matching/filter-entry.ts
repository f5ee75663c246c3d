import { compilePattern, type Pattern } from './pattern.js'
import type { AnyFilter } from './subscription.js'

/** The members of filters that are regular expressions. */
export type PatternMember = 'text' | 'embeds'

/** A filter of one kind of event, ready to be held against events. */
export interface FilterEntry {
  readonly webhookId: string
  readonly filter: AnyFilter
  readonly excludedAuthors: ReadonlySet<number> | null
  /** 0 where the filter asks for none. */
  readonly minimumScore: number
  readonly minimumAmount: number
  readonly patterns: Readonly<Record<PatternMember, Pattern | null>>
  /** The last event that it was judged by, so that none is judged twice by one that names it twice. */
  lastCheckedEvent: number
}

/** Makes a filter ready. */
export function createFilterEntry(webhookId: string, filter: AnyFilter): FilterEntry {
  const { exclude_author_fids: excludedAuthors = [] } = filter
  return {
    webhookId,
    filter,
    excludedAuthors: excludedAuthors.length === 0 ? null : new Set(excludedAuthors),
    minimumScore: filter.minimum_author_score ?? filter.minimum_trader_service_score ?? 0,
    minimumAmount: filter.minimum_token_amount_usdc ?? 0,
    patterns: { text: compileOptionalPattern(filter.text), embeds: compileOptionalPattern(filter.embeds) },
    lastCheckedEvent: 0,
  }
}

/** Null for none. One that does not compile finds nothing: it was checked when it was saved. */
function compileOptionalPattern(source: string | undefined): Pattern | null {
  if (source === undefined || source === '') return null
  const pattern = compilePattern(source)
  return 'problem' in pattern ? { test: () => false } : pattern
}
