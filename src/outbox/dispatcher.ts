import { isTemporary } from '../platform/db/connection-errors.js'
import type { Log } from '../platform/log/log.js'
import { pause } from '../platform/process/pause.js'
import { runInSpan, type TraceSpan } from '../platform/tracing/active-span.js'
import type { Tracing } from '../platform/tracing/tracing.js'
import { Lane } from './lane.js'
import type { LaneWakeUp, OutboxQueue } from './outbox-queue.js'
import { RETRY_MS, WakeLoop } from './wake-loop.js'

/** Dependencies of a dispatcher. */
export interface DispatcherOptions<Claimed, Prepared extends Claimed, Result> {
  readonly queue: OutboxQueue<Claimed, Prepared, Result>
  /** The UUID of this worker. */
  readonly worker: string
  /** Most items of a lane that are being sent at once. */
  readonly concurrency: number
  /** Unix milliseconds. */
  readonly clock: () => number
  readonly log: Log
  readonly tracing?: Tracing
}

interface LaneItem<Prepared, Content> {
  readonly lane: Lane<Prepared>
  /** Generation of the lane when the item was claimed. */
  readonly generation: number
  readonly content: Content
}

interface Settled<Prepared, Result> {
  readonly lane: Lane<Prepared>
  readonly id: string
  readonly content: Result
  /** It holds or ends its lane, of which nothing is claimed before it is settled. */
  readonly stopsLane: boolean
}

interface Dropped<Prepared, Claimed> {
  readonly lane: Lane<Prepared>
  readonly item: Claimed
}

const SWEEP_PAGE = 1_000
/** A sweep goes on when there are fewer that are not paused: a queue may have a lane for each of a million users. */
const MAX_LANES = 10_000
const STOP_POLL_MS = 5
/** A timer below this would ask for the same again before a statement has run. */
const MIN_TIMER_MS = 5
/**
 * Timers fire this late: one that fires a millisecond early, or whose moment was rounded down from the microseconds of the
 * database, would claim nothing, and one retry in a hundred waited for the sweep.
 */
const TIMER_MARGIN_MS = 2

/**
 * A claim whose connection is lost may be carried out so much later: PostgreSQL ends its statement after 30 s
 * (`STATEMENT_TIMEOUT_MS`), and waits for a synchronous standby beside that.
 */
const LATE_CLAIM_MS = 60_000

/**
 * Sends what is due in a queue. One loop talks with the database: each round settles all results that have come and
 * claims more for all lanes with room. Under load a statement carries hundreds of items, and a single item waits for
 * no other. Preparing and sending run beside the loop.
 */
export class Dispatcher<Claimed, Prepared extends Claimed, Result> {
  readonly #options: DispatcherOptions<Claimed, Prepared, Result>
  readonly #lanes = new Map<string, Lane<Prepared>>()
  readonly #timers = new Map<string, { readonly atMs: number; readonly timer: NodeJS.Timeout }>()
  readonly #abortController = new AbortController()
  readonly #loop: WakeLoop
  /** Ids of the items that are claimed and not settled. */
  readonly #inHandIds = new Set<string>()
  #results: Settled<Prepared, Result>[] = []
  /** Claimed, never started, and not given back yet. */
  #dropped: Dropped<Prepared, Claimed>[] = []
  #sending = 0
  /** A statement has failed: the database may have carried out a claim, or may have forgotten the end of what was sent. */
  #mayHaveLostClaims = false
  /** Moment until which a lost claim may still be carried out. */
  #lostClaimsUntilMs = Number.NEGATIVE_INFINITY
  #isSweepRequested = false
  /** The last lane that the sweep under way has found; empty when none is under way. */
  #sweptTo = ''
  /** Batches are prepared one after the other, so that they keep their order. */
  #preparation: Promise<void> = Promise.resolve()

  constructor(options: DispatcherOptions<Claimed, Prepared, Result>) {
    this.#options = options
    this.#loop = new WakeLoop({
      step: () => this.#round(),
      signal: this.#abortController.signal,
      log: options.log,
      failureMessage: `the queue of ${options.queue.name} waits for the database`,
    })
  }

  /** Claims what is due in these lanes. */
  wake(lanes: readonly string[]): void {
    if (this.#isStopped) return
    for (const key of lanes) this.#lane(key).mayHaveMore = true
    this.#loop.wake()
  }

  /** Finds all lanes with something due, and claims it. */
  sweep(): void {
    if (this.#isStopped) return
    this.#isSweepRequested = true
    this.#loop.wake()
  }

  /** Gives back what has not started of these lanes, or of all lanes, and claims it anew: something of them has changed. */
  requeue(lanes: readonly string[] | null): void {
    if (this.#isStopped) return
    for (const key of lanes ?? this.#lanes.keys()) {
      const lane = this.#lanes.get(key)
      if (lane !== undefined) this.#drop(lane, lane.takeQueued())
    }
  }

  /** Claims no more, and waits until what is being sent is settled. Items that have not started are for others. */
  async stop(): Promise<void> {
    this.#abortController.abort()
    for (const { timer } of this.#timers.values()) clearTimeout(timer)
    await this.#loop.idle()
    await this.#preparation
    for (const lane of this.#lanes.values()) lane.clear()
    while (this.#sending > 0) await pause(STOP_POLL_MS)
    this.#loop.wake()
    await this.#loop.idle()
  }

  get #isStopped(): boolean {
    return this.#abortController.signal.aborted
  }

  #lane(key: string): Lane<Prepared> {
    let lane = this.#lanes.get(key)
    if (lane === undefined) {
      const { concurrency, queue } = this.#options
      lane = new Lane(key, { concurrency, countsUnsettled: queue.countsUnsettled })
      this.#lanes.set(key, lane)
    }
    return lane
  }

  #forgetFinished(lanes: Iterable<Lane<Prepared>>): void {
    for (const lane of lanes) if (lane.isForgettable) this.#lanes.delete(lane.key)
  }

  async #round(): Promise<boolean> {
    try {
      const hasSettled = await this.#settle()
      await this.#releaseDropped()
      const hasSwept = await this.#sweepPage()
      const hasClaimed = await this.#claim()
      return hasSettled || hasSwept || hasClaimed
    } catch (error) {
      this.#mayHaveLostClaims = true
      this.#lostClaimsUntilMs = this.#options.clock() + LATE_CLAIM_MS
      throw error
    }
  }

  /** Gives back what the database says that this worker has in hand, and it has not. No claim is under way meanwhile. */
  async #releaseLost(): Promise<void> {
    if (!this.#mayHaveLostClaims) return
    const { queue, worker, clock } = this.#options
    const isLast = clock() >= this.#lostClaimsUntilMs
    await queue.releaseLost(worker, [...this.#inHandIds])
    if (isLast) this.#mayHaveLostClaims = false
  }

  /** Nothing of the lane is claimed before they are given back: it would be what came behind them. */
  #drop(lane: Lane<Prepared>, items: readonly Claimed[]): void {
    for (const item of items) {
      lane.hold()
      this.#dropped.push({ lane, item })
    }
    this.#loop.wake()
  }

  async #releaseDropped(): Promise<void> {
    const { queue, worker } = this.#options
    // A copy: more are dropped meanwhile.
    const dropped = [...this.#dropped]
    if (dropped.length === 0) return
    await queue.release(
      worker,
      dropped.map(({ item }) => item),
    )
    this.#dropped = this.#dropped.slice(dropped.length)
    for (const { lane, item } of dropped) {
      lane.endHold()
      this.#inHandIds.delete(queue.idOf(item))
    }
  }

  async #settle(): Promise<boolean> {
    const { queue, worker } = this.#options
    // A copy: more results come while these are written.
    const settled = [...this.#results]
    if (settled.length === 0) return false
    const finished = [...this.#lanes.values()].filter((lane) => lane.isFinished)
    const wakeUps = await queue.settle(
      worker,
      settled.map(({ content }) => content),
      finished.map(({ key }) => key),
    )
    this.#results = this.#results.slice(settled.length)
    for (const { lane, id, stopsLane } of settled) {
      lane.endUnsettled()
      if (stopsLane) lane.endHold()
      this.#inHandIds.delete(id)
    }
    this.#forgetFinished(finished)
    for (const wakeUp of wakeUps) this.#wakeAt(wakeUp)
    return true
  }

  async #sweepPage(): Promise<boolean> {
    const { queue, worker, clock } = this.#options
    const after = this.#sweptTo
    if (!this.#isSweepRequested && after === '') return false
    const nowMs = clock()
    const claimable = [...this.#lanes.values()].filter(({ pausedUntilMs }) => pausedUntilMs <= nowMs)
    if (this.#isStopped || claimable.length >= MAX_LANES) return false
    if (after === '') {
      await this.#releaseLost()
      // A request that comes during a sweep leads to another one: this one may have passed the lane.
      this.#isSweepRequested = false
    }
    const keys = await queue.findDueLanes(worker, after, SWEEP_PAGE).catch((error: unknown) => {
      this.#isSweepRequested = true
      throw error
    })
    for (const key of keys) this.#lane(key).mayHaveMore = true
    this.#sweptTo = keys.length < SWEEP_PAGE ? '' : (keys.at(-1) ?? '')
    return true
  }

  async #claim(): Promise<boolean> {
    const { queue, worker, clock } = this.#options
    const lanes = this.#claimableLanes()
    if (lanes.length === 0) return false
    // Before anything newer is claimed: the items of a lane keep their order.
    await this.#releaseLost()
    const requests = lanes.map(({ key, capacity }) => ({ lane: key, capacity }))
    // A change from now on may be one that this statement does not see.
    const generations = new Map(lanes.map(({ key, generation }) => [key, generation]))
    // A wake from now on may be for an item that this statement does not see.
    for (const lane of lanes) lane.mayHaveMore = false
    const claims = await queue.claim(worker, requests).catch((error: unknown) => {
      for (const lane of lanes) lane.mayHaveMore = true
      throw error
    })
    const claimed: LaneItem<Prepared, Claimed>[] = []
    for (const { lane: key, items, hasMore, pausedForMs } of claims) {
      const lane = this.#lane(key)
      lane.addPending(items.length)
      for (const content of items) {
        claimed.push({ lane, generation: generations.get(key) ?? lane.generation, content })
        this.#inHandIds.add(queue.idOf(content))
      }
      if (hasMore || pausedForMs !== null) lane.mayHaveMore = true
      if (pausedForMs === null) continue
      lane.pausedUntilMs = clock() + pausedForMs
      this.#wakeAt({ lane: key, atMs: lane.pausedUntilMs })
    }
    this.#takeClaimed(claimed)
    for (const lane of lanes) {
      // Behind the others: the next claim is for lanes that have waited longer.
      this.#lanes.delete(lane.key)
      if (!lane.isForgettable) this.#lanes.set(lane.key, lane)
    }
    return true
  }

  #claimableLanes(): Lane<Prepared>[] {
    const { queue, clock } = this.#options
    if (this.#isStopped) return []
    const lanes = [...this.#lanes.values()]
    const occupied = lanes.reduce((sum, lane) => sum + lane.occupied, 0)
    if (occupied >= (queue.maxOccupied ?? Number.POSITIVE_INFINITY)) return []
    const nowMs = clock()
    return lanes
      .filter((lane) => lane.mayHaveMore && !lane.isHeld && lane.pausedUntilMs <= nowMs && lane.capacity > 0)
      .slice(0, queue.lanesPerClaim)
  }

  /** Hands claimed items on to be prepared, or sent. A claim that ends after the stop is for others. */
  #takeClaimed(claimed: readonly LaneItem<Prepared, Claimed>[]): void {
    const { preparation } = this.#options.queue
    if (claimed.length === 0 || this.#isStopped) return
    if (preparation === undefined) this.#startAll(claimed as readonly LaneItem<Prepared, Prepared>[])
    else this.#preparation = this.#preparation.then(() => this.#prepare(preparation, claimed))
  }

  /** Waits for a database that is away. An item that cannot be prepared delays no other: it has failed. */
  async #prepare(
    preparation: NonNullable<OutboxQueue<Claimed, Prepared, Result>['preparation']>,
    claimed: readonly LaneItem<Prepared, Claimed>[],
  ): Promise<void> {
    const { log, queue } = this.#options
    let isWaiting = false
    while (!this.#isStopped) {
      try {
        const prepared = await preparation.prepare(claimed.map(({ content }) => content))
        if (this.#isStopped) return
        this.#startAll(claimed.map((item, index) => ({ ...item, content: prepared[index]! })))
        return
      } catch (error) {
        if (!(isWaiting && isTemporary(error)))
          log.error({ err: error, items: claimed.length }, `items of ${queue.name} could not be prepared`)
        if (isTemporary(error)) {
          isWaiting = true
          await pause(RETRY_MS, this.#abortController.signal)
          continue
        }
        const [first, ...others] = claimed
        if (first === undefined) return
        if (others.length > 0) {
          for (const each of claimed) await this.#prepare(preparation, [each])
          return
        }
        if (first.generation !== first.lane.generation) {
          this.#dropPending(first)
          return
        }
        first.lane.endPending()
        const result = preparation.fail(first.content)
        this.#noteResult({ lane: first.lane, id: queue.idOf(first.content), content: result })
        return
      }
    }
  }

  #startAll(prepared: readonly LaneItem<Prepared, Prepared>[]): void {
    for (const item of prepared) {
      const { lane, generation, content } = item
      if (generation !== lane.generation) {
        this.#dropPending(item)
        continue
      }
      lane.addPrepared(content)
      this.#startNext(lane)
    }
  }

  #dropPending({ lane, content }: LaneItem<Prepared, Claimed>): void {
    lane.dropPending()
    this.#drop(lane, [content])
  }

  #startNext(lane: Lane<Prepared>): void {
    if (this.#isStopped) return
    for (let item = lane.startNext(); item !== undefined; item = lane.startNext()) void this.#send(lane, item)
  }

  async #send(lane: Lane<Prepared>, item: Prepared): Promise<void> {
    this.#sending += 1
    const span = this.#startSpan(item)
    const result = await runInSpan(span, () => this.#options.queue.send(item))
    const failure = result === null ? 'given up' : this.#options.queue.tracing?.failureOf(result)
    if (typeof failure === 'string') span?.fail(failure)
    span?.end()
    this.#sending -= 1
    lane.endSending(result !== null)
    const id = this.#options.queue.idOf(item)
    if (result === null) this.#inHandIds.delete(id)
    else this.#noteResult({ lane, id, content: result })
    this.#startNext(lane)
  }

  /** Continues the trace of what caused the item; without one the sampler decides about a new trace. */
  #startSpan(item: Prepared): TraceSpan | null {
    const { queue, tracing } = this.#options
    if (!tracing?.isOn) return null
    const { traceparent = null, attributes = {} } = queue.tracing?.describe(item) ?? {}
    return tracing.start(`deliver ${queue.name}`, {
      kind: 'producer',
      attributes,
      ...(traceparent === null ? {} : { parent: { traceparent } }),
    })
  }

  #noteResult({ lane, id, content }: Omit<Settled<Prepared, Result>, 'stopsLane'>): void {
    const stopsLane = this.#options.queue.stopsLane?.(content) === true
    this.#results.push({ lane, id, content, stopsLane })
    if (stopsLane) {
      lane.hold()
      this.#drop(lane, lane.takeQueued())
    }
    // Results that arrive in the same turn of the event loop are settled together.
    setImmediate(() => this.#loop.wake())
  }

  /** Wakes a lane at a moment. An earlier timer of the lane stays: what is due later is found by the sweep. */
  #wakeAt({ lane: key, atMs }: LaneWakeUp): void {
    if (this.#isStopped) return
    const known = this.#timers.get(key)
    if (known !== undefined && known.atMs <= atMs) return
    clearTimeout(known?.timer)
    const wakeLane = () => {
      this.#timers.delete(key)
      this.#lane(key).pausedUntilMs = 0
      this.wake([key])
    }
    const delayMs = Math.max(MIN_TIMER_MS, atMs - this.#options.clock() + TIMER_MARGIN_MS)
    const timer = setTimeout(wakeLane, delayMs).unref()
    this.#timers.set(key, { atMs, timer })
  }
}
