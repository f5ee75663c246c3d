import type { LaneWakeUp, OutboxQueue } from '../../../outbox/outbox-queue.js'
import { RETRY_WINDOW_MS } from '../../../outbox/retry-schedule.js'
import type { Log } from '../../../platform/log/log.js'
import type { NetAnswer, NetClient } from '../../../platform/outbound/net-client.js'
import { isNetFailure, type NetFailure, netFailure } from '../../../platform/outbound/net-failure.js'
import type { Vault } from '../../../platform/vault/vault.js'
import { cancelWaiting } from '../cancel-waiting.js'
import { deliveryChannel } from '../waiting-deliveries.js'
import { disableWebhook } from '../webhooks.js'
import {
  type ClaimedDelivery,
  claimDue,
  findDueWebhooks,
  type PreparedDelivery,
  releaseDeliveries,
  releaseLostDeliveries,
} from './delivery-store.js'
import type { EventRenderContext } from './event-data.js'
import { type DeliveryOutcome, isGone, type LaneState, outcomeOf, settleOutcomes } from './outcome.js'
import { deliveryRequest, prepareDeliveries } from './request.js'
import { holdUnsigned, UNSIGNED_REASON, type UnsignedOutcome, unsignedOutcome } from './unsigned.js'

/** Dependencies of the delivery queue. */
export interface DeliveryQueueOptions extends EventRenderContext {
  readonly vault: Vault
  readonly net: Pick<NetClient, 'request'>
  /** Unix milliseconds. */
  readonly clock: () => number
  /** From 0 to 1. */
  readonly random: () => number
  readonly log: Log
  /** Called after every attempt. */
  readonly onAttempt?: (outcome: DeliveryOutcome, delivery: PreparedDelivery) => void
}

const LANES_PER_CLAIM = 500

/** Makes the queue of webhook deliveries. Its lanes are webhooks. */
export function createDeliveryQueue(
  options: DeliveryQueueOptions,
): OutboxQueue<ClaimedDelivery, PreparedDelivery, DeliveryOutcome | UnsignedOutcome> {
  const { db, net, clock, random, log, onAttempt } = options
  const judge = (response: NetAnswer | NetFailure, delivery: ClaimedDelivery, attemptedAtMs: number) =>
    outcomeOf(response, { delivery, attemptedAtMs, nowMs: clock(), random: random() })
  const unsignedLog = new UnsignedLog(log)

  return {
    name: 'webhooks',
    channel: deliveryChannel,
    lanesPerClaim: LANES_PER_CLAIM,
    countsUnsettled: false,
    idOf: ({ id }) => id,
    findDueLanes: (worker, after, limit) => findDueWebhooks(db, worker, after, limit),
    claim: (worker, requests) => claimDue(db, worker, requests),
    releaseLost: (worker, inHandIds) => releaseLostDeliveries(db, worker, inHandIds),
    release: (worker, claimed) => releaseDeliveries(db, worker, claimed),
    preparation: {
      prepare: (claimed) => prepareDeliveries(options, claimed),
      fail: (delivery) => judge(netFailure('local', 'the server could not make it ready'), delivery, clock()),
    },
    async send(delivery) {
      const attemptedAtMs = clock()
      unsignedLog.note(delivery)
      if (!delivery.isSignable) return unsignedOutcome(delivery, attemptedAtMs)
      const response = await net.request(deliveryRequest(delivery, attemptedAtMs)).catch((error: unknown) => {
        log.error({ err: error, deliveryId: delivery.id }, 'a delivery of a webhook could not be sent')
        return netFailure('local', 'the request could not be made')
      })
      // This process ended the request as it stops: that is no attempt.
      if (isNetFailure(response) && response.kind === 'aborted') return null
      const outcome = judge(response, delivery, attemptedAtMs)
      onAttempt?.(outcome, delivery)
      return outcome
    },
    stopsLane: (outcome) => outcome.holdUntilMs > 0 || (outcome.state !== 'unsigned' && isGone(outcome)),
    tracing: {
      describe: ({ id, webhookId, eventId, kind, attempts, traceparent }) => ({
        traceparent,
        attributes: {
          'plaza.webhook.id': webhookId,
          'plaza.event.id': eventId,
          'plaza.event.type': kind,
          'plaza.delivery.id': id,
          'plaza.delivery.attempt': attempts + 1,
        },
      }),
      failureOf: ({ failure }) => failure,
    },
    settle: (worker, results, finishedLanes) => settleResults(options, worker, results, finishedLanes),
  }
}

async function settleResults(
  options: DeliveryQueueOptions,
  worker: string,
  results: readonly (DeliveryOutcome | UnsignedOutcome)[],
  finishedLanes: readonly string[],
): Promise<readonly LaneWakeUp[]> {
  const { db, clock, log } = options
  const nowMs = clock()
  const unsigned = results.filter((result) => result.state === 'unsigned')
  const outcomes = results.filter((result) => result.state !== 'unsigned')
  if (unsigned.length > 0) await holdUnsigned(db, worker, unsigned, finishedLanes)
  const states =
    outcomes.length === 0
      ? []
      : await settleOutcomes(db, worker, outcomes, { nowMs, finishedWebhookIds: finishedLanes })
  // The database counted from its now, which was at most so much later.
  const lateMs = Math.max(0, clock() - nowMs)
  // The outcomes are settled: a failure here must not settle them once more.
  await disableFailingWebhooks(options, states).catch((error: unknown) =>
    log.error({ err: error }, 'a failing webhook could not be disabled'),
  )
  return [
    ...states.flatMap(({ webhookId: lane, hasNewTarget }) => (hasNewTarget ? [{ lane, atMs: clock() }] : [])),
    ...outcomes.flatMap(({ webhookId: lane, nextAttemptAtMs }) =>
      nextAttemptAtMs === null ? [] : [{ lane, atMs: nextAttemptAtMs + lateMs }],
    ),
    ...results.flatMap(({ webhookId: lane, holdUntilMs }) =>
      holdUntilMs === 0 ? [] : [{ lane, atMs: holdUntilMs + lateMs }],
    ),
  ]
}

/** Logs once of each webhook that its deliveries cannot be signed, until one can. */
class UnsignedLog {
  readonly #webhooks = new Set<string>()

  constructor(private readonly log: Log) {}

  /** Takes each delivery that is about to be sent. */
  note({ webhookId, isSignable }: PreparedDelivery): void {
    if (isSignable) {
      this.#webhooks.delete(webhookId)
      return
    }
    if (this.#webhooks.has(webhookId)) return
    this.#webhooks.add(webhookId)
    this.log.error({ webhookId }, `deliveries of a webhook wait, ${UNSIGNED_REASON}`)
  }
}

/** Fewest failed attempts, within the retry window, after which a webhook is disabled. */
const MIN_FAILURES = 10

/** Disables webhooks whose targets are gone or have failed for a day; their records say why. */
async function disableFailingWebhooks(
  { db, log }: Pick<DeliveryQueueOptions, 'db' | 'log'>,
  states: readonly LaneState[],
): Promise<void> {
  for (const { webhookId, targetUrl, isTargetGone, failingSince, failingForMs, failures } of states) {
    const isFailingTooLong = failures >= MIN_FAILURES && failingForMs >= RETRY_WINDOW_MS
    if (!isTargetGone && !isFailingTooLong) continue
    const reason = isTargetGone
      ? 'disabled: the target answered 410, which says that it is gone for good'
      : `disabled: no delivery has succeeded since ${failingSince?.toISOString()}, in ${failures} attempts`
    if (!(await disableWebhook(db, { webhookId, targetUrl }, reason))) continue
    // Deliveries of other webhooks do not wait for this: the backlog may be large. The hourly job cancels what is left.
    cancelWaiting(db, webhookId, reason).catch((error: unknown) =>
      log.warn({ err: error, webhookId }, 'deliveries of a disabled webhook were not canceled'),
    )
    log.warn({ webhookId, reason }, 'webhook disabled')
  }
}
