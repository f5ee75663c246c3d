import { RETRY_WINDOW_MS } from '../../../outbox/retry-schedule.js'
import type { Database } from '../../../platform/db/connection.js'
import type { Log } from '../../../platform/log/log.js'
import { disableWebhook } from '../webhooks.js'
import type { DeliveryOutcome } from './outcome.js'
import type { LaneState } from './queue.js'

/** A webhook without a success for as long as a delivery is retried, in at least so many attempts, is switched off. */
const MIN_FAILURES = 10

/** Switches off webhooks whose targets are gone or have failed for a day; their records say why. */
export async function disableFailingWebhooks(
  { db, log, clock }: { readonly db: Database; readonly log: Log; readonly clock: () => number },
  states: readonly LaneState[],
  outcomes: readonly DeliveryOutcome[],
): Promise<void> {
  for (const { webhookId, failingSince, failures } of states) {
    const isGone = outcomes.some((outcome) => outcome.webhookId === webhookId && outcome.isGone)
    const isFailingTooLong =
      failingSince !== null && failures >= MIN_FAILURES && clock() - failingSince.getTime() >= RETRY_WINDOW_MS
    if (!isGone && !isFailingTooLong) continue
    const reason = isGone
      ? 'switched off: the target answered 410, which says that it is gone for good'
      : `switched off: no delivery has succeeded since ${failingSince?.toISOString()}, in ${failures} attempts`
    await disableWebhook(db, webhookId, reason)
    log.warn({ webhookId, reason }, 'webhook switched off')
  }
}
