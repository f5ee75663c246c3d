import type { Database } from '../../../platform/db/connection.js'
import { isUnavailable } from '../../../platform/db/connection-errors.js'
import type { Log } from '../../../platform/log/log.js'
import type { NetAnswer, NetClient } from '../../../platform/outbound/net-client.js'
import { isNetFailure, type NetFailure, netFailure } from '../../../platform/outbound/net-failure.js'
import { pause } from '../../../platform/process/pause.js'
import type { Vault } from '../../../platform/vault/vault.js'
import type { EventRenderContext } from './event-data.js'
import { disableFailingWebhooks } from './failing-webhooks.js'
import { Lane, type PreparedDelivery } from './lane.js'
import { type DeliveryOutcome, outcomeOf } from './outcome.js'
import { prepareDeliveries } from './preparation.js'
import { type ClaimedDelivery, claimDue, settleOutcomes } from './queue.js'
import { deliveryRequest } from './request.js'
import { notifyOwners } from './workers.js'

/** What deliveries are made with. */
export interface DispatcherOptions {
  readonly db: Database
  readonly vault: Vault
  readonly net: Pick<NetClient, 'request'>
  readonly renderContext: EventRenderContext
  /** Of this process. */
  readonly worker: string
  /** Most deliveries to one webhook that are under way at once. */
  readonly concurrency: number
  /** Unix milliseconds. */
  readonly clock: () => number
  /** From 0 to 1. */
  readonly random: () => number
  readonly log: Log
  /** Told of every attempt. */
  readonly onAttempt?: (outcome: DeliveryOutcome, delivery: PreparedDelivery) => void
}

const RETRY_MS = 500
/** A moment that passes while one statement runs, in which others may want the same. */
const MIN_TIMER_MS = 5

/**
 * Sends what waits in the queue. One loop talks with the database, and each round settles all attempts that have
 * ended and takes more for all webhooks that have room: under load a statement carries hundreds of deliveries, and a
 * single one waits for nobody.
 */
export class Dispatcher {
  readonly #options: DispatcherOptions
  readonly #lanes = new Map<string, Lane>()
  readonly #abortController = new AbortController()
  #outcomes: DeliveryOutcome[] = []
  #loopPromise: Promise<void> | null = null
  /** Batches are made ready one after the other, so that they keep their order. */
  #preparation: Promise<void> = Promise.resolve()

  constructor(options: DispatcherOptions) {
    this.#options = options
  }

  /** Looks after these webhooks now. */
  wake(webhookIds: readonly string[]): void {
    if (this.#abortController.signal.aborted) return
    for (const webhookId of webhookIds) this.#lane(webhookId).mayHaveMore = true
    this.#ensureLoop()
  }

  /** Takes no more, and waits for what is under way. What has not begun is for others. */
  async stop(): Promise<void> {
    this.#abortController.abort()
    // What a claim that is under way still takes is forgotten with the rest.
    await this.#loopPromise
    await this.#preparation
    for (const lane of this.#lanes.values()) lane.clear()
    while ([...this.#lanes.values()].some((lane) => !lane.isIdle)) await shortPause()
    this.#ensureLoop()
    await this.#loopPromise
  }

  #lane(webhookId: string): Lane {
    let lane = this.#lanes.get(webhookId)
    if (lane === undefined) {
      lane = new Lane(webhookId, this.#options.concurrency, (delivery) => this.#send(delivery))
      this.#lanes.set(webhookId, lane)
    }
    return lane
  }

  #ensureLoop(): void {
    this.#loopPromise ??= this.#loop().finally(() => {
      this.#loopPromise = null
      // Something may have come in the moment in which the loop ended.
      if (this.#abortController.signal.aborted) return
      if (this.#outcomes.length > 0 || this.#lanesToClaim().length > 0) this.#ensureLoop()
    })
  }

  async #loop(): Promise<void> {
    const { log } = this.#options
    const { signal } = this.#abortController
    for (let failures = 0; ; ) {
      try {
        const lanesToClaim = this.#lanesToClaim()
        if (this.#outcomes.length === 0 && lanesToClaim.length === 0) return
        if (this.#outcomes.length > 0) await this.#settle()
        if (lanesToClaim.length > 0) await this.#claim(lanesToClaim)
        failures = 0
      } catch (error) {
        failures += 1
        if (failures === 1) log.error({ err: error }, 'deliveries of webhooks wait for the database')
        if (signal.aborted) return
        await pause(RETRY_MS, signal)
      }
    }
  }

  #lanesToClaim(): Lane[] {
    if (this.#abortController.signal.aborted) return []
    const now = this.#options.clock()
    return [...this.#lanes.values()].filter(
      (lane) => lane.mayHaveMore && lane.rateLimitedUntilMs <= now && lane.capacity > 0,
    )
  }

  async #settle(): Promise<void> {
    const { db, worker } = this.#options
    // A copy: more come while these are written down.
    const settled = [...this.#outcomes]
    const idle = [...this.#lanes.values()].filter((lane) => lane.isIdle && !lane.mayHaveMore)
    const states = await settleOutcomes(
      db,
      worker,
      settled,
      idle.map(({ webhookId }) => webhookId),
    )
    this.#outcomes = this.#outcomes.slice(settled.length)
    for (const lane of idle) if (lane.isIdle && !lane.mayHaveMore) this.#lanes.delete(lane.webhookId)
    await disableFailingWebhooks(this.#options, states, settled)
  }

  async #claim(lanes: readonly Lane[]): Promise<void> {
    const { db, worker, clock } = this.#options
    const claimRequests = lanes.map(({ webhookId, capacity }) => ({ webhookId, capacity }))
    // A wake that comes from now on may be of what this statement does not see.
    for (const lane of lanes) lane.mayHaveMore = false
    const claims = await claimDue(db, worker, claimRequests).catch((error: unknown) => {
      for (const lane of lanes) lane.mayHaveMore = true
      throw error
    })
    for (const { webhookId, deliveries, rateLimitedForMs } of claims) {
      const lane = this.#lane(webhookId)
      lane.addPending(deliveries.length)
      const capacity =
        claimRequests.find((claimRequest) => claimRequest.webhookId === webhookId)?.capacity ?? 0
      if (rateLimitedForMs !== null) {
        lane.mayHaveMore = true
        lane.rateLimitedUntilMs = clock() + rateLimitedForMs
        setTimeout(() => this.#ensureLoop(), Math.max(MIN_TIMER_MS, rateLimitedForMs)).unref()
      } else if (deliveries.length >= capacity) lane.mayHaveMore = true
    }
    const claimed = claims.flatMap(({ deliveries }) => deliveries)
    if (claimed.length > 0) {
      this.#preparation = this.#preparation.then(() => this.#prepareClaimed(claimed))
    }
    if (claims.length < claimRequests.length) {
      const unclaimed = claimRequests.filter(
        (claimRequest) => !claims.some(({ webhookId }) => webhookId === claimRequest.webhookId),
      )
      await notifyOwners(
        db,
        worker,
        unclaimed.map(({ webhookId }) => webhookId),
      )
    }
    for (const lane of lanes) if (lane.isIdle && !lane.mayHaveMore) this.#lanes.delete(lane.webhookId)
  }

  /** Waits for a database that is away. One that cannot be made ready holds up no other: it counts as an attempt. */
  async #prepareClaimed(claimed: readonly ClaimedDelivery[]): Promise<void> {
    const { log } = this.#options
    const { signal } = this.#abortController
    while (!signal.aborted) {
      try {
        for (const delivery of await prepareDeliveries(this.#options, claimed))
          this.#lane(delivery.webhookId).add(delivery)
        return
      } catch (error) {
        log.error(
          { err: error, deliveries: claimed.length },
          'deliveries of webhooks could not be made ready',
        )
        if (isUnavailable(error)) {
          await pause(RETRY_MS, signal)
          continue
        }
        const [first, ...remaining] = claimed
        if (first === undefined) return
        if (remaining.length === 0) return this.#failPreparation(first)
        for (const each of claimed) await this.#prepareClaimed([each])
        return
      }
    }
  }

  #failPreparation(delivery: ClaimedDelivery): void {
    this.#lane(delivery.webhookId).removePending()
    const failure = netFailure('aborted', 'the server could not make it ready')
    this.#recordOutcome(failure, delivery, this.#options.clock())
  }

  async #send(delivery: PreparedDelivery): Promise<void> {
    const { net, clock, onAttempt, log } = this.#options
    const attemptedAtMs = clock()
    const response = await net
      .request(deliveryRequest(delivery, delivery.secrets, attemptedAtMs))
      .catch((error: unknown) => {
        log.error({ err: error, deliveryId: delivery.id }, 'a delivery of a webhook could not be sent')
        return netFailure('protocol', 'the request could not be made')
      })
    // Broken off from our side: nobody's attempt.
    if (isNetFailure(response) && response.kind === 'aborted' && this.#abortController.signal.aborted) return
    onAttempt?.(this.#recordOutcome(response, delivery, attemptedAtMs), delivery)
  }

  #recordOutcome(
    response: NetAnswer | NetFailure,
    delivery: ClaimedDelivery,
    attemptedAtMs: number,
  ): DeliveryOutcome {
    const { clock, random } = this.#options
    const outcome = outcomeOf(response, {
      deliveryId: delivery.id,
      webhookId: delivery.webhookId,
      attempts: delivery.attempts + 1,
      firstAttemptAtMs: delivery.firstAttemptAt.getTime(),
      attemptedAtMs,
      nowMs: clock(),
      random: random(),
    })
    this.#outcomes.push(outcome)
    // The lane counts it as ended in the next turn of the event loop.
    setImmediate(() => this.#ensureLoop())
    return outcome
  }
}

function shortPause(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, MIN_TIMER_MS))
}
