import { invalidMember } from '../../../api/invalid-field.js'
import type { Transaction } from '../../../platform/db/connection.js'
import type { WebhookSubscriptionFilters } from '../schema/webhook-filters.js'
import { filtersByKind, isCatchAll } from './filters.js'

/** Most webhooks of one app that select every event of a kind: each of these events is a delivery for every one of them. */
const MAX_CATCH_ALL_WEBHOOKS = 25

/**
 * Refuses a subscription with which an app would have too many webhooks for every event of a kind. One that replaces such a
 * webhook is taken: those that were saved before there was a limit can be changed.
 *
 * @param webhookId The webhook that is replaced; null for a new one.
 * @throws PlazaError 400 that names the kind.
 */
export async function checkCatchAllLimit(
  transaction: Transaction,
  appId: string,
  webhookId: string | null,
  filters: WebhookSubscriptionFilters,
): Promise<void> {
  const kinds = filtersByKind(filters).flatMap(([kind, filter]) => (isCatchAll(filter) ? [kind] : []))
  if (kinds.length === 0) return
  // As `isCatchAll` decides.
  const rows = await transaction<{ kind: string; webhooks: number; isReplaced: boolean }[]>`
    select kind.key as kind, count(*)::integer as webhooks,
      bool_or(w.id is not distinct from ${webhookId}::uuid) as "isReplaced"
    from webhooks.webhooks w
    cross join lateral jsonb_each(w.filters) kind
    where w.app_id = ${appId} and w.deleted_at is null
      and kind.key = any (${transaction.types.texts(kinds)}::text[])
      and not exists (
        select from jsonb_each(kind.value) member
        where member.key in ('text', 'embeds')
          or (member.key <> 'exclude_author_fids' and jsonb_typeof(member.value) = 'array' and member.value <> '[]')
      )
    group by kind.key`
  const full = rows.filter(({ webhooks, isReplaced }) => !isReplaced && webhooks >= MAX_CATCH_ALL_WEBHOOKS)
  const refused = kinds.find((kind) => full.some((row) => row.kind === kind))
  if (refused === undefined) return
  throw invalidMember(
    ['subscription', refused],
    `matches every event: an app may have at most ${MAX_CATCH_ALL_WEBHOOKS} webhooks for all events of a type`,
  )
}
