import type { Database, Transaction } from '../../platform/db/connection.js'
import { type HubEventBody, hubEventBody } from './hub-event.js'
import { AFTER_ALL_EVENTS, readEvents, readLogEnds, readRetentionFloor } from './read.js'

/** An event as consumers get it. */
export interface ConsumedEvent {
  readonly shard: number
  readonly id: number
  readonly body: HubEventBody
}

/** Events that were dropped before they were consumed: from the first id up to, and without, the second. */
export interface LogGap {
  readonly shard: number
  readonly from: number
  readonly to: number
}

/** A reader of the log that misses nothing, whatever dies meanwhile. */
export interface Consumer {
  /** Names its cursors. */
  readonly name: string
  /** Where it begins when it runs for the first time: `oldest` counts what was dropped before as a gap. */
  readonly from: 'oldest' | 'newest'
  /** The HubEventTypes that it wants. */
  readonly types: readonly number[]
  /**
   * Gets the next events of a shard, in their order, in the transaction that moves the cursor behind them: what it
   * writes there happens exactly once, what it does elsewhere at least once. An error undoes both, and the events
   * come again. The connection is held meanwhile, so it must not wait for others.
   */
  readonly handle: (db: Transaction, events: readonly ConsumedEvent[], signal: AbortSignal) => Promise<void>
  /** Told of a gap, in the transaction that moves the cursor over it. */
  readonly onGap?: (db: Transaction, gap: LogGap, signal: AbortSignal) => Promise<void>
}

/** What a handler throws when it has to wait for something else than the events: they come again in a moment. */
export class RetryLater extends Error {
  override readonly name = 'RetryLater'
}

/** What came of a batch. */
export type BatchOutcome =
  /** Somebody else is at work on the shard. */
  | { readonly state: 'busy' }
  /** `next` is the first event that has not been consumed. */
  | { readonly state: 'more' | 'caughtUp'; readonly next: number; readonly gap?: LogGap }

/** Below every event id there is. Zero would read as the oldest that is kept, whatever has been dropped. */
const BEFORE_ALL_EVENTS = 1

/** Bounds the memory of a batch: an event holds up to 64 kB of message. */
const MAX_BATCH_BYTES = 8 * 1024 * 1024

/** Makes the cursors of a consumer where there are none yet. */
export async function ensureCursors(db: Database, consumer: Consumer, shards: number): Promise<void> {
  const all = Array.from({ length: shards }, (_, index) => index + 1)
  const first = new Map(all.map((shard) => [shard, BEFORE_ALL_EVENTS]))
  if (consumer.from === 'newest') {
    for (const { shard, lastId } of await readLogEnds(db, all)) first.set(shard, lastId + 1)
  }
  await db`
    insert into hub.consumers (name, shard, next_id)
    select ${consumer.name}, shard, greatest(next_id, ${BEFORE_ALL_EVENTS})
    from unnest(${[...first.keys()]}::smallint[], ${[...first.values()]}::bigint[]) as first (shard, next_id)
    on conflict do nothing
  `
}

/**
 * Hands the next events of a shard to a consumer and moves its cursor, in one transaction. The cursor's row is locked
 * meanwhile: of any number of processes one works on a shard, and one that dies frees it by dying.
 *
 * @param limit Most events that are read.
 */
export async function consumeBatch(
  db: Database,
  consumer: Consumer,
  { shard, limit, signal }: { readonly shard: number; readonly limit: number; readonly signal: AbortSignal },
): Promise<BatchOutcome> {
  return await db.begin(async (transaction) => {
    const from = await claimCursor(transaction, consumer.name, shard)
    if (from === null) return { state: 'busy' }
    const floor = await readRetentionFloor(transaction, shard)
    if (from < floor) {
      const gap = { shard, from, to: floor }
      await consumer.onGap?.(transaction, gap, signal)
      await moveCursor(transaction, consumer.name, shard, floor)
      return { state: 'more', next: floor, gap }
    }
    const page = await readEvents(transaction, [{ shard, from, stop: AFTER_ALL_EVENTS }], {
      limit,
      reverse: false,
      filter: { fids: null, types: consumer.types },
      maxBytes: MAX_BATCH_BYTES,
    })
    if (page.events.length > 0) {
      const events = page.events.map(({ id, event }) => decodeLazily(shard, id, event))
      await consumer.handle(transaction, events, signal)
    }
    const next = page.remaining[0]!.from
    if (next > from) await moveCursor(transaction, consumer.name, shard, next)
    return { state: page.next ? 'more' : 'caughtUp', next }
  })
}

/** Decoding is most of what a consumer costs, and some look at few of the events that they are given. */
function decodeLazily(shard: number, id: number, event: Buffer): ConsumedEvent {
  let decoded: HubEventBody | undefined
  return {
    shard,
    id,
    get body() {
      decoded ??= hubEventBody(event)
      return decoded
    },
  }
}

async function claimCursor(db: Transaction, name: string, shard: number): Promise<number | null> {
  const [row] = await db<{ next_id: number }[]>`
    select next_id from hub.consumers
    where name = ${name} and shard = ${shard}::smallint
    for update skip locked
  `
  return row?.next_id ?? null
}

async function moveCursor(db: Transaction, name: string, shard: number, next: number): Promise<void> {
  await db`
    update hub.consumers
    set next_id = ${next}::bigint
    where name = ${name} and shard = ${shard}::smallint
  `
}
