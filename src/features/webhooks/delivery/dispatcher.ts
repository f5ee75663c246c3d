import type { Database } from '../../../platform/db/connection.js'
import { isUnavailable } from '../../../platform/db/connection-errors.js'
import type { Log } from '../../../platform/log/log.js'
import type { NetAnswer, NetClient } from '../../../platform/outbound/net-client.js'
import { isNetFailure, type NetFailure, netFailure } from '../../../platform/outbound/net-failure.js'
import { pause } from '../../../platform/process/pause.js'
import type { Vault } from '../../../platform/vault/vault.js'
import type { EventViews } from './event-data.js'
import { Lane, type ReadyDelivery } from './lane.js'
import { type Outcome, outcomeOf } from './outcome.js'
import { prepare } from './prepare.js'
import { type Claimed, claimDue, settle } from './queue.js'
import { requestOf } from './request.js'
import { switchOffFailing } from './switch-off.js'
import { tellHolders } from './workers.js'

/** What deliveries are made with. */
export interface DispatcherOptions {
  readonly db: Database
  readonly vault: Vault
  readonly net: Pick<NetClient, 'request'>
  readonly views: EventViews
  /** Of this process. */
  readonly worker: string
  /** Most deliveries to one webhook that are under way at once. */
  readonly parallel: number
  /** Unix milliseconds. */
  readonly clock: () => number
  /** From 0 to 1. */
  readonly random: () => number
  readonly log: Log
  /** Told of every attempt. */
  readonly onAttempt?: (outcome: Outcome, delivery: ReadyDelivery) => void
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
  readonly #stopping = new AbortController()
  #outcomes: Outcome[] = []
  #working: Promise<void> | null = null
  /** Batches are made ready one after the other, so that they keep their order. */
  #preparing: Promise<void> = Promise.resolve()

  constructor(options: DispatcherOptions) {
    this.#options = options
  }

  /** Looks after these webhooks now. */
  wake(webhookIds: readonly string[]): void {
    if (this.#stopping.signal.aborted) return
    for (const webhookId of webhookIds) this.#lane(webhookId).wanted = true
    this.#work()
  }

  /** Takes no more, and waits for what is under way. What has not begun is for others. */
  async stop(): Promise<void> {
    this.#stopping.abort()
    // What a claim that is under way still takes is forgotten with the rest.
    await this.#working
    await this.#preparing
    for (const lane of this.#lanes.values()) lane.clear()
    while ([...this.#lanes.values()].some((lane) => !lane.isIdle)) await pauseShortly()
    this.#work()
    await this.#working
  }

  #lane(webhookId: string): Lane {
    let lane = this.#lanes.get(webhookId)
    if (lane === undefined) {
      lane = new Lane(webhookId, this.#options.parallel, (delivery) => this.#send(delivery))
      this.#lanes.set(webhookId, lane)
    }
    return lane
  }

  #work(): void {
    this.#working ??= this.#loop().finally(() => {
      this.#working = null
      // Something may have come in the moment in which the loop ended.
      if (this.#stopping.signal.aborted) return
      if (this.#outcomes.length > 0 || this.#asking().length > 0) this.#work()
    })
  }

  async #loop(): Promise<void> {
    const { log } = this.#options
    const { signal } = this.#stopping
    for (let failures = 0; ; ) {
      try {
        const asking = this.#asking()
        if (this.#outcomes.length === 0 && asking.length === 0) return
        if (this.#outcomes.length > 0) await this.#settle()
        if (asking.length > 0) await this.#claim(asking)
        failures = 0
      } catch (error) {
        failures += 1
        if (failures === 1) log.error({ err: error }, 'deliveries of webhooks wait for the database')
        if (signal.aborted) return
        await pause(RETRY_MS, signal)
      }
    }
  }

  #asking(): Lane[] {
    if (this.#stopping.signal.aborted) return []
    const now = this.#options.clock()
    return [...this.#lanes.values()].filter(
      (lane) => lane.wanted && lane.limitedUntilMs <= now && lane.room > 0,
    )
  }

  async #settle(): Promise<void> {
    const { db, worker } = this.#options
    // A copy: more come while these are written down.
    const settled = [...this.#outcomes]
    const idle = [...this.#lanes.values()].filter((lane) => lane.isIdle && !lane.wanted)
    const states = await settle(
      db,
      worker,
      settled,
      idle.map(({ webhookId }) => webhookId),
    )
    this.#outcomes = this.#outcomes.slice(settled.length)
    for (const lane of idle) if (lane.isIdle && !lane.wanted) this.#lanes.delete(lane.webhookId)
    await switchOffFailing(this.#options, states, settled)
  }

  async #claim(lanes: readonly Lane[]): Promise<void> {
    const { db, worker, clock } = this.#options
    const asks = lanes.map(({ webhookId, room }) => ({ webhookId, room }))
    // A wake that comes from now on may be of what this statement does not see.
    for (const lane of lanes) lane.wanted = false
    const claims = await claimDue(db, worker, asks).catch((error: unknown) => {
      for (const lane of lanes) lane.wanted = true
      throw error
    })
    for (const { webhookId, deliveries, limitedForMs } of claims) {
      const lane = this.#lane(webhookId)
      lane.expect(deliveries.length)
      const room = asks.find((ask) => ask.webhookId === webhookId)?.room ?? 0
      if (limitedForMs !== null) {
        lane.wanted = true
        lane.limitedUntilMs = clock() + limitedForMs
        setTimeout(() => this.#work(), Math.max(MIN_TIMER_MS, limitedForMs)).unref()
      } else if (deliveries.length >= room) lane.wanted = true
    }
    const taken = claims.flatMap(({ deliveries }) => deliveries)
    if (taken.length > 0) {
      this.#preparing = this.#preparing.then(() => this.#ready(taken))
    }
    if (claims.length < asks.length) {
      const unanswered = asks.filter((ask) => !claims.some(({ webhookId }) => webhookId === ask.webhookId))
      await tellHolders(
        db,
        worker,
        unanswered.map(({ webhookId }) => webhookId),
      )
    }
    for (const lane of lanes) if (lane.isIdle && !lane.wanted) this.#lanes.delete(lane.webhookId)
  }

  /** Waits for a database that is away. One that cannot be made ready holds up no other: it counts as an attempt. */
  async #ready(taken: readonly Claimed[]): Promise<void> {
    const { log } = this.#options
    const { signal } = this.#stopping
    while (!signal.aborted) {
      try {
        for (const delivery of await prepare(this.#options, taken))
          this.#lane(delivery.webhookId).add(delivery)
        return
      } catch (error) {
        log.error({ err: error, deliveries: taken.length }, 'deliveries of webhooks could not be made ready')
        if (isUnavailable(error)) {
          await pause(RETRY_MS, signal)
          continue
        }
        const [first, ...others] = taken
        if (first === undefined) return
        if (others.length === 0) return this.#failUnready(first)
        for (const each of taken) await this.#ready([each])
        return
      }
    }
  }

  #failUnready(delivery: Claimed): void {
    this.#lane(delivery.webhookId).skip()
    const failure = netFailure('aborted', 'the server could not make it ready')
    this.#judge(failure, delivery, this.#options.clock())
  }

  async #send(delivery: ReadyDelivery): Promise<void> {
    const { net, clock, onAttempt, log } = this.#options
    const attemptedAtMs = clock()
    const answer = await net
      .request(requestOf(delivery, delivery.secrets, attemptedAtMs))
      .catch((error: unknown) => {
        log.error({ err: error, deliveryId: delivery.id }, 'a delivery of a webhook could not be sent')
        return netFailure('protocol', 'the request could not be made')
      })
    // Broken off from our side: nobody's attempt.
    if (isNetFailure(answer) && answer.kind === 'aborted' && this.#stopping.signal.aborted) return
    onAttempt?.(this.#judge(answer, delivery, attemptedAtMs), delivery)
  }

  #judge(answer: NetAnswer | NetFailure, delivery: Claimed, attemptedAtMs: number): Outcome {
    const { clock, random } = this.#options
    const outcome = outcomeOf(answer, {
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
    setImmediate(() => this.#work())
    return outcome
  }
}

function pauseShortly(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, MIN_TIMER_MS))
}
