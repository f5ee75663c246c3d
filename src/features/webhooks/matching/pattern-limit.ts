import { invalidMember } from '../../../api/invalid-field.js'
import type { Transaction } from '../../../platform/db/connection.js'
import type { WebhookSubscriptionFilters } from '../schema/webhook-filters.js'
import { compilePattern, filtersByKind } from './filters.js'
import { requiredLiterals } from './pattern-index.js'

/**
 * Most expressions of one app that run for every cast, since no literal says which casts they can match. A large one may take
 * some milliseconds for each (`MAX_PROGRAM_SIZE`), on the one thread that matches for all apps: 20 take some tens.
 */
const MAX_UNINDEXED_PATTERNS = 20

/**
 * Most instructions of all expressions of one app together: as many as 1,000 words of 18 letters have. A literal that most
 * casts contain, such as `th`, is as good as none, so what is indexed may run for every cast as well. Of a large expression
 * like `th(.*a){90}b`, 20,000 took 36 ms for a cast of 1,024 characters, and 1,000 took 3 s.
 */
const MAX_INSTRUCTIONS = 20_000

/** An expression of a subscription, and its path in a request. */
interface NamedPattern {
  readonly path: readonly string[]
  readonly pattern: string
}

/** The expressions of the other webhooks of an app, and those of the webhook that is replaced. */
interface StoredPatterns {
  readonly others: readonly string[]
  readonly replaced: readonly string[]
}

/**
 * Refuses a subscription with which the expressions of an app would be too many or too large. One that has no more than
 * before is taken: webhooks that were saved before there was a limit can be changed.
 *
 * @param webhookId The webhook that is replaced; null for a new one.
 * @throws PlazaError 400 that names the expression.
 */
export async function checkPatternLimits(
  transaction: Transaction,
  appId: string,
  webhookId: string | null,
  filters: WebhookSubscriptionFilters,
): Promise<void> {
  const patterns = filtersByKind(filters).flatMap(([kind, { text, embeds }]) =>
    Object.entries({ text, embeds }).flatMap(([member, pattern]) =>
      pattern ? [{ path: ['subscription', kind, member], pattern }] : [],
    ),
  )
  if (patterns.length === 0) return
  const rows = await transaction<{ isReplaced: boolean; pattern: string }[]>`
    select w.id is not distinct from ${webhookId}::uuid as "isReplaced", member.pattern
    from webhooks.webhooks w
    cross join lateral jsonb_each(w.filters) kind
    cross join lateral (values (kind.value ->> 'text'), (kind.value ->> 'embeds')) member (pattern)
    where w.app_id = ${appId} and w.deleted_at is null and member.pattern is not null`
  const patternsOf = (ofReplaced: boolean) =>
    rows.flatMap(({ isReplaced, pattern }) => (isReplaced === ofReplaced ? [pattern] : []))
  const stored = { others: patternsOf(false), replaced: patternsOf(true) }
  checkUnindexed(patterns, stored)
  checkInstructions(patterns, stored)
}

function checkUnindexed(patterns: readonly NamedPattern[], stored: StoredPatterns): void {
  const unindexed = patterns.filter(({ pattern }) => isUnindexed(pattern))
  const replaced = stored.replaced.filter(isUnindexed).length
  if (unindexed.length <= replaced) return
  const others = stored.others.filter(isUnindexed).length
  if (others + unindexed.length <= MAX_UNINDEXED_PATTERNS) return
  const { path } = unindexed[Math.max(0, MAX_UNINDEXED_PATTERNS - others)]!
  throw invalidMember(
    path,
    `runs for every cast: an app may have at most ${MAX_UNINDEXED_PATTERNS} expressions that require no text of two characters or more`,
  )
}

function isUnindexed(pattern: string): boolean {
  return pattern !== '' && requiredLiterals(pattern) === null
}

function checkInstructions(patterns: readonly NamedPattern[], stored: StoredPatterns): void {
  const replaced = countInstructions(stored.replaced)
  if (countInstructions(patterns.map(({ pattern }) => pattern)) <= replaced) return
  let total = countInstructions(stored.others)
  for (const { path, pattern } of patterns) {
    total += countInstructions([pattern])
    if (total <= MAX_INSTRUCTIONS) continue
    throw invalidMember(
      path,
      `is too large beside the others: all expressions of an app may compile to at most ${MAX_INSTRUCTIONS.toLocaleString('en')} instructions`,
    )
  }
}

/** Counts instructions up to a little above the limit: an app may have many more from before there was one. */
function countInstructions(patterns: readonly string[]): number {
  let total = 0
  for (const source of patterns) {
    const compiled = compilePattern(source)
    if (!('problem' in compiled)) total += compiled.programSize()
    if (total > MAX_INSTRUCTIONS) break
  }
  return total
}
