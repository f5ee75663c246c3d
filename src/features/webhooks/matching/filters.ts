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

/** Compiles a pattern in RE2 syntax, which matches in linear time, or returns the problem to append to its name. */
export function compilePattern(source: string): RE2JS | { readonly problem: string } {
  if (source.length > MAX_PATTERN_LENGTH) {
    return { problem: `must be of at most ${MAX_PATTERN_LENGTH} characters` }
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

/**
 * Refuses filters that the schema accepts but no event can match: empty subscriptions and invalid patterns.
 *
 * @throws PlazaError `bad_request.invalid_param` that names the member: `subscription.cast.created.text`.
 */
export function checkFilters(filters: WebhookSubscriptionFilters): void {
  const kinds = filtersByKind(filters)
  if (kinds.length === 0) throw invalidField('subscription', 'must name at least one kind of event')
  for (const [kind, filter] of kinds) {
    for (const member of ['text', 'embeds'] as const) {
      const pattern = compilePattern(filter[member] ?? '')
      if ('problem' in pattern) throw invalidMember(['subscription', kind, member], pattern.problem)
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
  return Object.entries(filter)
    .map(([member, value]): [string, unknown] => [
      member,
      Array.isArray(value) ? listedValues(filter, member).sort() : value,
    ])
    .filter(([, value]) => value !== 0 && !(Array.isArray(value) && value.length === 0))
    .sort(([a], [b]) => (a < b ? -1 : 1))
}
