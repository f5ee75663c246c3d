import type { OutboxQueue } from '../../../outbox/outbox-queue.js'
import type { Database } from '../../../platform/db/connection.js'
import type { Log } from '../../../platform/log/log.js'
import type { NetAnswer, NetClient } from '../../../platform/outbound/net-client.js'
import { isNetFailure, type NetFailure, netFailure } from '../../../platform/outbound/net-failure.js'
import type { Vault } from '../../../platform/vault/vault.js'
import type { EventRenderContext } from './event-data.js'
import { disableFailingWebhooks } from './failing-webhooks.js'
import { type DeliveryOutcome, outcomeOf } from './outcome.js'
import { prepareDeliveries } from './preparation.js'
import { type ClaimedDelivery, claimDue, type PreparedDelivery, settleOutcomes } from './queue.js'
import { deliveryRequest } from './request.js'
import { deliveryChannel, findDueWebhooks } from './workers.js'

/** What deliveries are sent with. */
export interface DeliveryQueueOptions {
  readonly db: Database
  readonly vault: Vault
  readonly net: Pick<NetClient, 'request'>
  readonly renderContext: EventRenderContext
  /** Unix milliseconds. */
  readonly clock: () => number
  /** From 0 to 1. */
  readonly random: () => number
  readonly log: Log
  /** Called after every attempt. */
  readonly onAttempt?: (outcome: DeliveryOutcome, delivery: PreparedDelivery) => void
}

/** The queue of webhook deliveries: what `startOutbox` works on. */
export type DeliveryQueue = OutboxQueue<ClaimedDelivery, PreparedDelivery, DeliveryOutcome>

const LANES_PER_CLAIM = 500

/** Makes the queue of webhook deliveries. Its lanes are webhooks. */
export function createDeliveryQueue(options: DeliveryQueueOptions): DeliveryQueue {
  const { db, net, clock, random, log, onAttempt } = options

  function judge(
    response: NetAnswer | NetFailure,
    delivery: ClaimedDelivery,
    attemptedAtMs: number,
  ): DeliveryOutcome {
    return outcomeOf(response, {
      deliveryId: delivery.id,
      webhookId: delivery.webhookId,
      attempts: delivery.attempts + 1,
      firstAttemptAtMs: delivery.firstAttemptAt.getTime(),
      attemptedAtMs,
      nowMs: clock(),
      random: random(),
    })
  }

  return {
    name: 'webhooks',
    channel: deliveryChannel,
    lanesPerClaim: LANES_PER_CLAIM,
    countsUnsettled: false,
    findDueLanes: (worker, after, limit) => findDueWebhooks(db, worker, after, limit),
    claim: (worker, requests) => claimDue(db, worker, requests),
    preparation: {
      prepare: (claimed) => prepareDeliveries(options, claimed),
      fail: (delivery) =>
        judge(netFailure('aborted', 'the server could not make it ready'), delivery, clock()),
    },
    async send(delivery) {
      const attemptedAtMs = clock()
      const response = await net
        .request(deliveryRequest(delivery, delivery.secrets, attemptedAtMs))
        .catch((error: unknown) => {
          log.error({ err: error, deliveryId: delivery.id }, 'a delivery of a webhook could not be sent')
          return netFailure('protocol', 'the request could not be made')
        })
      // This process ended the request as it stops: that is no attempt.
      if (isNetFailure(response) && response.kind === 'aborted') return null
      const outcome = judge(response, delivery, attemptedAtMs)
      onAttempt?.(outcome, delivery)
      return outcome
    },
    async settle(worker, outcomes, finishedLanes) {
      const states = await settleOutcomes(db, worker, outcomes, finishedLanes)
      // The outcomes are settled: a failure here must not settle them once more.
      await disableFailingWebhooks(options, states, outcomes).catch((error: unknown) =>
        log.error({ err: error }, 'a webhook that fails could not be switched off'),
      )
      return outcomes.flatMap(({ webhookId: lane, nextAttemptAtMs, holdUntilMs }) => [
        ...(nextAttemptAtMs === null ? [] : [{ lane, atMs: nextAttemptAtMs }]),
        ...(holdUntilMs === 0 ? [] : [{ lane, atMs: holdUntilMs }]),
      ])
    },
  }
}
