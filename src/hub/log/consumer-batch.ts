import type { Database, Transaction } from '../../platform/db/connection.js'
import { inPipeline, type Statement, transact } from '../../platform/db/pipeline.js'
import { planModeFor, setPlanMode } from '../../platform/db/plan-mode.js'
import { PlazaError } from '../../platform/errors.js'
import { runInSpan, type TraceSpan } from '../../platform/tracing/active-span.js'
import { noTracing, type Tracing } from '../../platform/tracing/tracing.js'
import { type BlockHistory, decodeHistory, encodeHistory, historyUpTo } from './block-history.js'
import { blockOf, type HubEventBody, hubEventBody } from './hub-event.js'
import { AFTER_ALL_EVENTS } from './log-range.js'
import { type LogReset, LogResetError } from './log-reset.js'
import { type EventPage, readEvents, readLogEnds, readRetentionFloor } from './read.js'
import { readTracedBlocks, startBatchSpan, type TracedBlocks } from './traced-blocks.js'

/** An event of the log, decoded on access. */
export interface ConsumedEvent {
  readonly shard: number
  readonly id: number
  readonly body: HubEventBody
  /** Trace context of the span that merged it, where that was traced. */
  readonly traceparent?: string
}

/** Events that were dropped before they were consumed: `from` inclusive, `to` exclusive. */
export interface LogGap {
  readonly shard: number
  readonly from: number
  readonly to: number
}

/** A reader of the log with durable cursors: it misses no event, even when processes die. */
export interface Consumer {
  /** Name of its cursors. */
  readonly name: string
  /** Start of the first run. With `oldest`, events dropped before count as a gap. */
  readonly from: 'oldest' | 'newest'
  /** HubEventTypes to receive. */
  readonly types: readonly number[]
  /** Reads what every batch needs, in the round trip that reads its events and after them. */
  readonly prepare?: (db: Transaction) => Promise<void>
  /**
   * Handles the next events of a shard, in order, in the transaction that moves the cursor.
   *
   * Writes in that transaction happen exactly once, other effects at least once. An error rolls back both,
   * and the events are delivered again. It holds a connection, so it must not wait for others: after a lock timeout
   * the events are delivered again in 0.5 s.
   *
   * @returns its last statements, in order: they are sent with the commit, in one round trip.
   */
  readonly handle: (
    db: Transaction,
    events: readonly ConsumedEvent[],
    signal: AbortSignal,
  ) => Promise<readonly Statement[]>
  /** Called when a batch has failed: what earlier ones have left in memory may be of commits that a fail-over lost. */
  readonly onFailure?: () => void
  /** Called on a gap, in the transaction that moves the cursor over it. */
  readonly onGap?: (db: Transaction, gap: LogGap, signal: AbortSignal) => Promise<void>
}

/** The outcome of a batch. */
export type BatchOutcome =
  /** Another process works on the shard. */
  | { readonly state: 'busy' }
  | {
      readonly state: 'more' | 'caughtUp'
      readonly cursor: ConsumerCursor
      readonly gap?: LogGap
      /** The log went back, and the cursor with it. */
      readonly reset?: LogReset
    }

/** How far a consumer has come. */
export interface ConsumerCursor {
  /** The first event that is not consumed. */
  readonly next: number
  /** The blocks before it. */
  readonly history: BlockHistory
}

/** Below every event id. 0 would mean the oldest kept event, and hide a gap. */
const BEFORE_ALL_EVENTS = 1

/** Bounds the memory of a batch: a message takes up to 64 kB. */
const MAX_BATCH_BYTES = 8 * 1024 * 1024

/** Creates the missing cursors of a consumer in these shards. */
export async function ensureCursors(
  db: Database,
  consumer: Consumer,
  shards: readonly number[],
): Promise<void> {
  const first = new Map(shards.map((shard) => [shard, BEFORE_ALL_EVENTS]))
  if (consumer.from === 'newest') {
    for (const { shard, lastId } of await readLogEnds(db, shards)) first.set(shard, lastId + 1)
  }
  await insertCursors(db, consumer, first)
}

/**
 * Creates a cursor that was lost, as by a fail-over, which also lost what the consumer had written: where a new one begins. One that
 * begins at the newest event goes on where it was, or where the log went back.
 */
export async function restoreCursor(
  db: Database,
  consumer: Consumer,
  shard: number,
  last: ConsumerCursor | undefined,
): Promise<void> {
  const stored = await db`
    select from hub.consumers where name = ${consumer.name} and shard = ${shard}::smallint`
  if (stored.length > 0) return
  if (consumer.from === 'oldest')
    return await insertCursors(db, consumer, new Map([[shard, BEFORE_ALL_EVENTS]]))
  const [end] = await readLogEnds(db, [shard])
  await insertCursors(db, consumer, new Map([[shard, last?.next ?? end!.lastId + 1]]), last?.history)
}

async function insertCursors(
  db: Database,
  consumer: Consumer,
  first: ReadonlyMap<number, number>,
  history: BlockHistory = [],
): Promise<void> {
  await db`
    insert into hub.consumers (name, shard, next_id, blocks)
    select ${consumer.name}, shard, greatest(next_id, ${BEFORE_ALL_EVENTS}), ${encodeHistory(history)}
    from unnest(${[...first.keys()]}::smallint[], ${[...first.values()]}::bigint[]) as first (shard, next_id)
    on conflict do nothing
  `
}

/** Shard and bounds of a batch. */
interface BatchRange {
  readonly shard: number
  /** Most events. */
  readonly limit: number
  readonly signal: AbortSignal
  /** Where the cursor probably is: its events are read in the round trip that locks it. */
  readonly expected?: ConsumerCursor | undefined
  /** Continues the traces of the merges. */
  readonly tracing?: Tracing | undefined
}

/**
 * Passes up to `limit` next events of a shard to a consumer and moves its cursor, in one transaction.
 * It locks the cursor's row: one process at a time works on a shard, and a process that dies releases it.
 *
 * Two round trips and those of the consumer: one locks the cursor and reads, the other writes and commits.
 *
 * The cursor is in the same database as the log and goes back with it. If it did not, as when tables were restored one by
 * one, it moves to the newest block of its history that is still in the log.
 */
export async function consumeBatch(
  db: Database,
  consumer: Consumer,
  range: BatchRange,
): Promise<BatchOutcome> {
  const { shard, signal, expected, tracing = noTracing } = range
  let span: TraceSpan | null = null
  return await transact<BatchOutcome>(db, async (transaction, withCommit) => {
    // A consumer reads by the keys of its events. By itself, PostgreSQL plans anew each time, because the three events of a
    // batch seem cheaper than the ten that it guesses.
    const planMode = setPlanMode(transaction, 'generic')
    const [[row], expectedPage] = await inPipeline([
      transaction<{ next: number; blocks: Buffer }[]>`
        select next_id as next, blocks from hub.consumers
        where name = ${consumer.name} and shard = ${shard}::smallint
        for update skip locked
      `,
      expected === undefined ? null : readPage(transaction, consumer, range, expected),
      planMode,
    ])
    if (!row) return { state: 'busy' }
    const { next: from } = row
    const isExpected = from === expected?.next && !(expectedPage && 'reset' in expectedPage)
    const page = isExpected ? expectedPage : await readPage(transaction, consumer, range, cursorOf(row))
    const move = (cursor: ConsumerCursor) =>
      withCommit([moveCursor(transaction, consumer.name, shard, cursor)])
    if (page === null) {
      const floor = await readRetentionFloor(transaction, shard)
      const gap = { shard, from, to: floor }
      await consumer.onGap?.(transaction, gap, signal)
      const cursor = { next: floor, history: [] }
      move(cursor)
      return { state: 'more', cursor, gap }
    }
    if ('reset' in page) {
      const { reset } = page
      const cursor = { next: Math.max(reset.nextId, BEFORE_ALL_EVENTS), history: reset.history }
      move(cursor)
      return { state: 'more', cursor, reset }
    }
    const events = page.events.map(({ id, event }) => {
      return decodeLazily(shard, id, event, page.traces?.get(blockOf(id)))
    })
    span = startBatchSpan(tracing, consumer.name, shard, events)
    if (events.length > 0) {
      const mode = planModeFor(events.length)
      const [, last] = await inPipeline([
        mode === 'custom' ? setPlanMode(transaction, mode) : null,
        runInSpan(span, () => consumer.handle(transaction, events, signal)),
      ])
      withCommit(last)
    }
    const { from: next, history = [] } = page.remaining[0]!
    if (next > from) move({ next, history })
    return { state: page.next ? 'more' : 'caughtUp', cursor: { next, history } }
  })
    .catch((error: unknown) => {
      span?.fail(error)
      throw error
    })
    .finally(() => span?.end())
}

/** A process of an earlier version moves a cursor and not its blocks: they are then before it. */
function cursorOf({ next, blocks }: { readonly next: number; readonly blocks: Buffer }): ConsumerCursor {
  return { next, history: historyUpTo(decodeHistory(blocks) ?? [], blockOf(next - 1)) }
}

/**
 * Reads the events of a batch, and then what the consumer needs besides. Null if its first event was dropped; the reset
 * if the log went back.
 */
async function readPage(
  db: Transaction,
  consumer: Consumer,
  { shard, limit, tracing }: BatchRange,
  { next: from, history }: ConsumerCursor,
): Promise<TracedPage | { readonly reset: LogReset } | null> {
  const page = readEvents(db, [{ shard, from, stop: AFTER_ALL_EVENTS, history }], {
    limit,
    reverse: false,
    filter: { fids: null, types: consumer.types },
    maxBytes: MAX_BATCH_BYTES,
  }).catch((error: unknown) => {
    if (error instanceof PlazaError && error.code === 'not_found.event_dropped') return null
    if (error instanceof LogResetError) return { reset: error.reset }
    throw error
  })
  const traces = tracing?.isOn ? readTracedBlocks(db, shard, blockOf(from)) : null
  const [found, , foundTraces] = await inPipeline([page, consumer.prepare?.(db), traces])
  return found === null || 'reset' in found ? found : { ...found, traces: foundTraces }
}

/** A page and the traces of its blocks; null while nothing is traced. */
type TracedPage = EventPage & { readonly traces: TracedBlocks | null }

/** Decodes on access: decoding is most of the cost of a consumer, and some look at few events. */
function decodeLazily(
  shard: number,
  id: number,
  event: Buffer,
  traceparent: string | undefined,
): ConsumedEvent {
  let decoded: HubEventBody | undefined
  return {
    shard,
    id,
    ...(traceparent === undefined ? {} : { traceparent }),
    get body() {
      decoded ??= hubEventBody(event)
      return decoded
    },
  }
}

function moveCursor(
  db: Transaction,
  name: string,
  shard: number,
  { next, history }: ConsumerCursor,
): Statement {
  return db`
    update hub.consumers
    set next_id = ${next}::bigint, blocks = ${encodeHistory(history)}
    where name = ${name} and shard = ${shard}::smallint
  `
}
