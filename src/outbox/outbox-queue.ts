import type { Queryable } from '../platform/db/connection.js'
import type { Statement } from '../platform/db/pipeline.js'
import type { SpanAttributes } from '../platform/tracing/active-span.js'

/** How many items of a lane a worker has room for. */
export interface LaneRequest {
  readonly lane: string
  readonly capacity: number
}

/** Claim of a worker on a lane. */
export interface LaneClaim<Claimed> {
  readonly lane: string
  readonly items: readonly Claimed[]
  /** Whether more items may be due now. */
  readonly hasMore: boolean
  /** A rate limit is reached: milliseconds until the next item may be claimed. Null without one. */
  readonly pausedForMs: number | null
}

/** A moment at which something of a lane is due. */
export interface LaneWakeUp {
  readonly lane: string
  /** Unix milliseconds. */
  readonly atMs: number
}

/**
 * A durable queue in the database, as the engine uses it. A lane is a target that has a bounded number of items in
 * flight: a webhook, or a host. An item is claimed by one worker, sent, and settled.
 */
export interface OutboxQueue<Claimed, Prepared extends Claimed, Result> {
  /** For log lines. */
  readonly name: string
  /** The NOTIFY channel on which `notifyLanes` wakes the workers of this queue, and `notifyChangedLanes` stops them. */
  readonly channel: string
  /** Most lanes in one claim. */
  readonly lanesPerClaim: number
  /** Most items of one process that take up capacity of their lanes; unlimited without it. */
  readonly maxOccupied?: number
  /** See `LaneLimits`. */
  readonly countsUnsettled: boolean
  /** Identifies an item among all of the queue. */
  idOf(item: Claimed): string
  /** Finds lanes with something due that this worker may claim, in the order of their keys, behind `after`. */
  findDueLanes(worker: string, after: string, limit: number): Promise<readonly string[]>
  /** Claims what is due in these lanes, in one statement. A lane that this worker may not have is left out. */
  claim(worker: string, requests: readonly LaneRequest[]): Promise<readonly LaneClaim<Claimed>[]>
  /**
   * Gives back what this worker has claimed, apart from the items that it has in hand: a database that goes away may have
   * carried out a claim whose reply never came.
   */
  releaseLost(worker: string, inHandIds: readonly string[]): Promise<void>
  /** Gives back items that this worker has claimed and not begun to send. */
  release(worker: string, items: readonly Claimed[]): Promise<void>
  /** Only for items that need more than a claim reads. */
  readonly preparation?: {
    /** Completes items for sending, in the same order. Runs beside claims and settlements. */
    prepare(claimed: readonly Claimed[]): Promise<readonly Prepared[]>
    /** The result of an item that cannot be prepared. */
    fail(claimed: Claimed): Result
  }
  /** Sends an item, and never rejects. Null when this process gave it up: another worker will send it. */
  send(item: Prepared): Promise<Result | null>
  /** Whether a result holds or ends its lane: no other item of the lane starts before the result is settled. */
  stopsLane?(result: Result): boolean
  /** Attributes of the span of an item. */
  readonly tracing?: {
    /** The span that caused the item, and attributes of it. */
    describe(item: Prepared): { readonly traceparent: string | null; readonly attributes: SpanAttributes }
    /** Why the item was not taken; null if it was. */
    failureOf(result: Result): string | null
  }
  /**
   * Writes results into the database, and says when something of their lanes is due again. A result whose item another
   * worker has claimed meanwhile is dropped.
   *
   * @param finishedLanes Lanes of which this worker has nothing any more: another worker may have them.
   */
  settle(
    worker: string,
    results: readonly Result[],
    finishedLanes: readonly string[],
  ): Promise<readonly LaneWakeUp[]>
}

/** PostgreSQL takes less than 8,000 bytes in a notification. */
const MAX_PAYLOAD_BYTES = 7_900

/** Listens to a NOTIFY channel, as the driver's `db.listen` does: once more after a lost connection. */
export type Listen = (
  channel: string,
  onNotify: (payload: string) => void,
) => Promise<{ unlisten(): Promise<void> }>

/**
 * Wakes the workers of a queue, in whatever process they are, when the transaction commits. A notification is a hint:
 * the sweep of the workers finds what a lost one would have told.
 *
 * @param lanes The lanes with something new; none for a sweep of the whole queue.
 */
export function notifyLanes(db: Queryable, channel: string, lanes: readonly string[] = []): Statement {
  const payloads = db.types.texts(payloadsOf(lanes))
  return db`select pg_notify(${channel}, payload) from unnest(${payloads}::text[]) as notification (payload)`
}

/**
 * Tells the workers of a queue, when the transaction commits, that these lanes have changed: they give back what they have
 * claimed and not begun to send, and claim it anew. A channel of its own, as processes of earlier versions take each payload
 * of the other one for lanes.
 *
 * @param lanes None for all lanes.
 */
export function notifyChangedLanes(db: Queryable, channel: string, lanes: readonly string[] = []): Statement {
  return notifyLanes(db, changeChannelOf(channel), lanes)
}

/** The NOTIFY channel of `notifyChangedLanes`. */
export function changeChannelOf(channel: string): string {
  return `${channel}_changed`
}

/** Splits a payload of either channel into lanes. Null stands for all lanes. */
export function lanesOf(payload: string): string[] | null {
  return payload === '' ? null : payload.split(',')
}

/** Joins lanes into as few payloads as possible. An empty payload stands for all lanes. */
function payloadsOf(lanes: readonly string[]): string[] {
  if (lanes.some((lane) => Buffer.byteLength(lane) > MAX_PAYLOAD_BYTES)) return ['']
  const payloads: string[] = []
  let payload = ''
  for (const lane of lanes) {
    const joined = payload === '' ? lane : `${payload},${lane}`
    const isFull = Buffer.byteLength(joined) > MAX_PAYLOAD_BYTES
    if (isFull) payloads.push(payload)
    payload = isFull ? lane : joined
  }
  return [...payloads, payload]
}
