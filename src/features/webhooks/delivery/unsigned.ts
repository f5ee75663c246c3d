import type { Database } from '../../../platform/db/connection.js'
import { MINUTE_MS } from '../../../platform/durations.js'
import type { DeliveryOutcome } from './outcome.js'

/** After this time the secrets of a webhook are looked at again: a process may have the key by then. */
const HOLD_MS = MINUTE_MS

/** The reason for which a delivery waits if no secret of its webhook can be decrypted. */
export const UNSIGNED_REASON =
  'not sent: PLAZA_SECRET_KEY lacks the key that encrypted the secret of the webhook. It is sent when the key is back'

/** The outcome of a delivery that cannot be signed: it is no attempt, and holds its webhook for a while. */
export interface UnsignedOutcome
  extends Pick<DeliveryOutcome, 'deliveryId' | 'webhookId' | 'failure' | 'holdUntilMs'> {
  readonly state: 'unsigned'
}

/** Makes the outcome of a delivery that cannot be signed: its receiver would refuse it. */
export function unsignedOutcome(
  { id, webhookId }: { readonly id: string; readonly webhookId: string },
  nowMs: number,
): UnsignedOutcome {
  return {
    deliveryId: id,
    webhookId,
    state: 'unsigned',
    failure: UNSIGNED_REASON,
    holdUntilMs: nowMs + HOLD_MS,
  }
}

/**
 * Gives back deliveries that cannot be signed, and holds their webhooks. Nothing counts against the target: neither an
 * attempt, nor the time of the hold for the day after which a failing webhook is disabled.
 *
 * @param finishedWebhookIds As of `settleOutcomes`.
 */
export async function holdUnsigned(
  db: Database,
  worker: string,
  outcomes: readonly UnsignedOutcome[],
  finishedWebhookIds: readonly string[],
): Promise<void> {
  await db`
    with came as (
      select id::uuid as id, webhook_id::uuid as webhook_id
      from unnest(
        ${db.types.texts(outcomes.map(({ deliveryId }) => deliveryId))}::text[],
        ${db.types.texts(outcomes.map(({ webhookId }) => webhookId))}::text[]
      ) as came (id, webhook_id)
    ),
    released as (
      update webhooks.deliveries d
      set
        state = case when w.active then 'waiting' else 'canceled' end,
        worker = null,
        failure = case when w.active then ${UNSIGNED_REASON} else coalesce(w.disabled_reason, 'the webhook is inactive') end,
        finished_at = case when w.active then null else now() end
      from came
      join webhooks.webhooks w on w.id = came.webhook_id
      where d.id = came.id and d.state = 'sending' and d.worker = ${worker}::uuid
      returning d.webhook_id
    )
    update webhooks.lanes l
    set
      worker = case
        when l.worker = ${worker}::uuid and l.webhook_id = any (${db.types.texts(finishedWebhookIds)}::text[]::uuid[]) then null
        else l.worker
      end,
      -- The claim has counted them.
      allowance = l.allowance + (select count(*) from released r where r.webhook_id = l.webhook_id),
      unsigned_since = coalesce(l.unsigned_since, now()),
      failing_since = l.failing_since + (greatest(l.held_until, held.until) - greatest(l.held_until, now())),
      held_until = greatest(l.held_until, held.until)
    from (
      select webhook_id, now() + ${HOLD_MS}::integer * interval '1 millisecond' as until
      from came
      group by webhook_id
    ) held
    where l.webhook_id = held.webhook_id`
}
