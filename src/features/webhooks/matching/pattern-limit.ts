import type { Transaction } from '../../../platform/db/connection.js'
import { PlazaError } from '../../../platform/errors.js'
import type { WebhookSubscriptionFilters } from '../schema/webhook-filters.js'
import { filtersByKind } from './filters.js'
import { requiredLiterals } from './pattern-index.js'

/**
 * Most expressions of one app that run for every cast, since no literal says which casts they can match. A large one may take
 * some milliseconds for each (`MAX_PROGRAM_SIZE`), on the one thread that matches for all apps: so many take some tens.
 */
const MAX_UNINDEXED_PATTERNS = 20

/**
 * Refuses a subscription with which an app would have too many expressions without a literal. One that has no more of them
 * than before is taken: webhooks that were saved before there was a limit can be changed.
 *
 * @param webhookId The webhook that is replaced; null for a new one.
 * @throws PlazaError 400 that names the expression.
 */
export async function checkPatternLimit(
  transaction: Transaction,
  appId: string,
  webhookId: string | null,
  filters: WebhookSubscriptionFilters,
): Promise<void> {
  const properties = filtersByKind(filters).flatMap(([kind, { text, embeds }]) =>
    Object.entries({ text, embeds }).flatMap(([member, pattern]) =>
      isUnindexed(pattern) ? [`subscription.${kind}.${member}`] : [],
    ),
  )
  if (properties.length === 0) return
  const rows = await transaction<{ isReplaced: boolean; pattern: string | null }[]>`
    select w.id is not distinct from ${webhookId}::uuid as "isReplaced", member.pattern
    from webhooks.webhooks w
    cross join lateral jsonb_each(w.filters) kind
    cross join lateral (values (kind.value ->> 'text'), (kind.value ->> 'embeds')) member (pattern)
    where w.app_id = ${appId} and w.deleted_at is null and member.pattern is not null`
  const unindexed = rows.filter(({ pattern }) => isUnindexed(pattern))
  const replaced = unindexed.filter(({ isReplaced }) => isReplaced).length
  const others = unindexed.length - replaced
  if (properties.length <= replaced || others + properties.length <= MAX_UNINDEXED_PATTERNS) return
  const property = properties[Math.max(0, MAX_UNINDEXED_PATTERNS - others)]!
  throw new PlazaError(
    'bad_request.invalid_param',
    `${property} runs for every cast: an app may have at most ${MAX_UNINDEXED_PATTERNS} expressions that require no text of two characters or more`,
    { property },
  )
}

function isUnindexed(pattern: string | null | undefined): boolean {
  return !!pattern && requiredLiterals(pattern) === null
}
