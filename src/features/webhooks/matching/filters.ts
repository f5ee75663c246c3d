import { createHash } from 'node:crypto'
import { RE2JS, RE2JSException } from 're2js'
import { invalidField, invalidMember } from '../../../api/invalid-field.js'
import {
  type CastFilter,
  type FollowFilter,
  MAX_PATTERN_LENGTH,
  type ReactionFilter,
  type TradeFilter,
  type WebhookEventKind,
  type WebhookSubscriptionFilters,
} from '../schema/webhook-filters.js'
import { expandedSize } from './pattern-size.js'

/** Any filter with all members that it may have. */
export type AnyFilter = CastFilter & FollowFilter & ReactionFilter & TradeFilter

/** Returns a subscription's filters by event kind. */
export function filtersByKind(filters: WebhookSubscriptionFilters): [WebhookEventKind, AnyFilter][] {
  return Object.entries(filters) as [WebhookEventKind, AnyFilter][]
}

/** Returns the values that a member of a filter lists, each once, with hashes as events have them: `0x` and lowercase. */
export function listedValues(filter: AnyFilter, member: string): (string | number)[] {
  const values: readonly (string | number)[] = filter[member as 'fids'] ?? []
  return [...new Set(member.endsWith('_hashes') ? values.map(normalizeHash) : values)]
}

/**
 * Whether a filter lists nothing and has no expression: it matches every event of its kind that its other members allow.
 */
export function isCatchAll({ text, embeds, exclude_author_fids: _, ...members }: AnyFilter): boolean {
  const isEmpty = (value: unknown) => !Array.isArray(value) || value.length === 0
  return !text && !embeds && Object.values(members).every(isEmpty)
}

/** Normalizes a hash to the form in events. */
export function normalizeHash(hash: string | number): string {
  return `0x${String(hash).toLowerCase().replace(/^0x/, '')}`
}

/**
 * Most instructions of a compiled pattern. Each instruction may run for each character: `(?i)(.*a){99}b`, which has
 * about as many, takes tens of milliseconds on the longest cast.
 */
const MAX_PROGRAM_SIZE = 500

/**
 * Most parts with their repetitions, so that an expression is refused before it is compiled: 330 letters that are repeated 1,000
 * times took gigabytes for a program of 329,000 instructions. At the limit it takes 50 ms.
 */
const MAX_EXPANDED_SIZE = 4 * MAX_PROGRAM_SIZE

/**
 * Most classes, also inside of brackets: the compiler copies the ranges of each, 600 for `\pL`, and 333 of them took 300 ms. A
 * hundred take 30.
 */
const MAX_CLASSES = 100
const classPattern = /(?<named>\\[pPdDsSwW])|\\[\s\S]|\[/g

/** Compiles a pattern in RE2 syntax, which matches in linear time, or returns the problem to append to its name. */
export function compilePattern(source: string): RE2JS | { readonly problem: string } {
  if (source.length > MAX_PATTERN_LENGTH) {
    return { problem: `must be of at most ${MAX_PATTERN_LENGTH} characters` }
  }
  const parts = expandedSize(source)
  if (parts > MAX_EXPANDED_SIZE) {
    return {
      problem: `is too large: it has ${parts} parts with their repetitions, and ${MAX_EXPANDED_SIZE} are the limit`,
    }
  }
  try {
    const compiled = RE2JS.compile(source)
    const size = compiled.programSize()
    if (size <= MAX_PROGRAM_SIZE) return compiled
    return {
      problem: `is too large: it compiles to ${size} instructions, and ${MAX_PROGRAM_SIZE} are the limit`,
    }
  } catch (error) {
    if (!(error instanceof RE2JSException)) throw error
    const reason = error.message.replace(/^error parsing regexp: /, '')
    return { problem: `is not a regular expression of RE2: ${reason}` }
  }
}

/** Returns the problem of a pattern that is to be saved; null without one. Saved ones may have more classes than that. */
export function patternProblem(source: string): string | null {
  const tokens = [...source.matchAll(classPattern)]
  const classes = tokens.filter(([token, named]) => named !== undefined || token === '[').length
  if (classes > MAX_CLASSES)
    return `is too large: it has ${classes} classes, and ${MAX_CLASSES} are the limit`
  const pattern = compilePattern(source)
  return 'problem' in pattern ? pattern.problem : null
}

/**
 * Refuses filters that the schema accepts but no event can match, or that contradict themselves: empty subscriptions, invalid
 * patterns, and a score with two values.
 *
 * @throws PlazaError `bad_request.invalid_param` that names the member: `subscription.cast.created.text`.
 */
export function checkFilters(filters: WebhookSubscriptionFilters): void {
  const kinds = filtersByKind(filters)
  if (kinds.length === 0) throw invalidField('subscription', 'must name at least one kind of event')
  for (const [kind, filter] of kinds) {
    for (const member of ['text', 'embeds'] as const) {
      const problem = patternProblem(filter[member] ?? '')
      if (problem !== null) throw invalidMember(['subscription', kind, member], problem)
    }
    const { minimum_trader_service_score: score, minimum_trader_neynar_score: sameScore } = filter
    if (score !== undefined && sameScore !== undefined && score !== sameScore) {
      const problem =
        'is another name of minimum_trader_service_score and has another value: give one of them'
      throw invalidMember(['subscription', kind, 'minimum_trader_neynar_score'], problem)
    }
  }
}

/**
 * Computes a digest that is equal for equivalent subscriptions to one target. Ignores the order and duplicates of
 * lists, the spelling of hashes, and empty members.
 */
export function subscriptionDigest(target: URL, filters: WebhookSubscriptionFilters): Buffer {
  const kinds = filtersByKind(filters)
    .map(([kind, filter]) => [kind, canonicalFilter(filter)] as const)
    .sort(([a], [b]) => (a < b ? -1 : 1))
  return createHash('sha256')
    .update(JSON.stringify([target.href, kinds]))
    .digest()
}

function canonicalFilter(filter: AnyFilter): [member: string, value: unknown][] {
  const { minimum_trader_neynar_score: _, ...members } = filter
  return Object.entries({ ...members, minimum_trader_service_score: traderScoreOf(filter) ?? 0 })
    .map(([member, value]): [string, unknown] => [
      member,
      Array.isArray(value) ? listedValues(filter, member).sort() : value,
    ])
    .filter(([, value]) => value !== 0 && !(Array.isArray(value) && value.length === 0))
    .sort(([a], [b]) => (a < b ? -1 : 1))
}

/** The minimum score of a filter of trades, under either of its names. */
export function traderScoreOf(filter: TradeFilter | undefined): number | undefined {
  return filter?.minimum_trader_service_score ?? filter?.minimum_trader_neynar_score
}

/**
 * Takes the minimum score of traders that a request has changed: a client that reads a webhook gets the score under both names, and
 * sends both back, of which it has changed the one that it knows.
 */
export function withChangedScore(
  filters: WebhookSubscriptionFilters,
  current: WebhookSubscriptionFilters | null,
): WebhookSubscriptionFilters {
  const trade = filters['trade.created']
  const scores = [trade?.minimum_trader_service_score, trade?.minimum_trader_neynar_score]
  const stored = traderScoreOf(current?.['trade.created'])
  const changed = scores.filter((score) => score !== stored)
  if (scores.includes(undefined) || changed.length !== 1) return filters
  const score = changed[0]!
  const names = { minimum_trader_service_score: score, minimum_trader_neynar_score: score }
  return { ...filters, 'trade.created': { ...trade, ...names } }
}
