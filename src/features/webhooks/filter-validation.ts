import { createHash } from 'node:crypto'
import type { WebhookSubscriptionFilters } from '../../graph/view/schema/webhook-filters.js'
import { PlazaError } from '../../platform/errors.js'
import { compilePattern } from './matching/pattern.js'
import { type AnyFilter, filtersByKind, normalizeHash } from './matching/subscription.js'

/** Pattern members. Every matching server compiles them. */
const patternMembers = ['text', 'embeds'] as const

/**
 * Refuses filters that the schema accepts but no event can match: empty subscriptions and invalid patterns.
 *
 * @param path Path of the filters in the request body.
 * @throws PlazaError `bad_request.invalid_param` that names the member: `subscription.cast.created.text`.
 */
export function checkFilters(filters: WebhookSubscriptionFilters, path = 'subscription'): void {
  const kinds = filtersByKind({ webhookId: '', filters })
  if (kinds.length === 0) throw invalidParameter(path, 'must name at least one kind of event')
  for (const [kind, filter] of kinds) {
    for (const member of patternMembers) {
      const source = filter[member]
      if (source === undefined) continue
      const pattern = compilePattern(source)
      if ('problem' in pattern) throw invalidParameter(`${path}.${kind}.${member}`, pattern.problem)
    }
  }
}

function invalidParameter(property: string, problem: string): PlazaError {
  return new PlazaError('bad_request.invalid_param', `${property} ${problem}`, { property })
}

const hashMembers: ReadonlySet<string> = new Set([
  'embedded_cast_hashes',
  'parent_hashes',
  'target_cast_hashes',
])

/**
 * Computes a digest that is equal for equivalent subscriptions to one target.
 *
 * Ignores the order and duplicates of lists, the spelling of hashes, and empty members.
 */
export function subscriptionDigest(target: URL, filters: WebhookSubscriptionFilters): Buffer {
  const kinds = filtersByKind({ webhookId: '', filters })
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
      Array.isArray(value) ? canonicalEntries(member, value) : value,
    ])
    .filter(([, value]) => value !== 0 && !(Array.isArray(value) && value.length === 0))
    .sort(([a], [b]) => (a < b ? -1 : 1))
}

function canonicalEntries(member: string, entries: readonly (string | number)[]): (string | number)[] {
  return [
    ...new Set(hashMembers.has(member) ? entries.map((hash) => normalizeHash(String(hash))) : entries),
  ].sort()
}
