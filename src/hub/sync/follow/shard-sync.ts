import { status } from '@grpc/grpc-js'
import type { Database, Queryable } from '../../../platform/db/connection.js'
import type { Refusal } from '../../../platform/errors.js'
import type { Log } from '../../../platform/log/log.js'
import { isChannelType } from '../../../protocol/message-kinds.js'
import { CHANNELS_FID, isOfShardZero, shardOf } from '../../../protocol/shard.js'
import { farcasterSecondsFromUnixMs } from '../../../protocol/time.js'
import { isItem } from '../../archive/frame.js'
import { blockOf, eventId } from '../../log/hub-event.js'
import type { MergeItem } from '../../merge/shard-writer.js'
import { ReorderBuffer, type ReorderBufferOptions } from '../../reorder-buffer.js'
import type { UpstreamClient, UpstreamEvent } from '../client/upstream-client.js'
import { readSent, UpstreamFailure } from '../client/upstream-failure.js'
import { hasPeers } from '../client/upstreams.js'
import { ReconcileQueue, type UpstreamRefusalLog } from '../reconcile-queue.js'
import type { Selection } from '../subset/selected-users.js'
import type { UpstreamMetrics } from '../upstream-metrics.js'
import { CheckpointWriter } from './checkpoint-writer.js'
import { isOfNewLog, type StartCursor, sourceLogName } from './cursors.js'
import { RETAINED_BLOCKS } from './gap-tracker.js'
import { provenName, removesGaslessKey, toMergeItem } from './merge-items.js'
import { NO_ID, OrderedEvents } from './ordered-events.js'
import { forgetOldLog, type RewindOptions, rewindToFork } from './rewind.js'

export interface ShardSyncOptions {
  readonly db: Database
  /** The connection that holds the sync lock. */
  readonly session: Queryable
  readonly client: UpstreamClient
  /** Shard of the upstream. */
  readonly shard: number
  /** Number of shards of the upstream. */
  readonly shards: number
  /** Where to start; it is saved. */
  readonly start: StartCursor
  readonly hub: ReorderBufferOptions['hub']
  /** The upstream belongs to the same operator: its signatures are not checked again. */
  readonly trusted: boolean
  readonly selection: Selection
  readonly log: Log
  readonly refusals: UpstreamRefusalLog
  readonly metrics: UpstreamMetrics
  /** Unix milliseconds. */
  readonly clock: () => number
  /** Ends the sync of the shard. */
  readonly signal: AbortSignal
  /** Aborted when the whole sync stops. `signal` is also aborted when another shard has ended. */
  readonly stopSignal: AbortSignal
  /** Another upstream may be followed instead. */
  readonly hasOtherUpstreams: boolean
  /** Called when new events are merged, and when a quiet upstream has said that there are none: it works. */
  readonly onProgress: () => void
  /** After this time without events the end of the log is checked. */
  readonly idleMs?: number
}

/** The end of the log of a quiet upstream. */
interface LogEnd {
  /** Id of the last event; null without one. */
  readonly id: number | null
  /** Time up to which there is no newer block: Farcaster seconds; null if that is not known. */
  readonly quietUntil: number | null
}

/** Network nodes produce a block each second; this is for idle ones. */
const IDLE_MS = 5_000
/** Time without a block after which a node of the network is left for the next upstream. */
const MAX_BLOCK_SILENCE_MS = 60_000

/** Follows the log of one upstream shard for one subscription. */
export class ShardSync {
  readonly #options: ShardSyncOptions
  readonly #reorderBuffer: ReorderBuffer
  readonly #reconcileQueue: ReconcileQueue
  readonly #logName: string
  readonly #orderedEvents: OrderedEvents
  readonly #checkpoints: CheckpointWriter
  #itemCount = 0
  /** The id after the last event that was merged. */
  #reachedId: number
  #seemsReplaced = false
  /** Time of the last new event: Unix milliseconds. */
  #progressMs: number
  #reported = { merged: 0, duplicates: 0, refused: 0 }
  /** Runs when the log of the upstream went back. */
  #rewinding: Promise<void> | null = null

  constructor(options: ShardSyncOptions) {
    const { db, session, client, shard, hub, trusted, clock, signal, refusals, selection } = options
    this.#options = options
    this.#progressMs = clock()
    this.#reachedId = options.start.nextId
    this.#orderedEvents = new OrderedEvents(options)
    this.#logName = sourceLogName(client.address, shard)
    this.#reconcileQueue = new ReconcileQueue(db)
    const flush = async () => {
      await this.#reconcileQueue.flush()
      await selection.flush()
    }
    this.#checkpoints = new CheckpointWriter({ session, upstream: client.address, shard, clock, flush })
    this.#reorderBuffer = new ReorderBuffer({
      hub,
      origin: 'log',
      trusted,
      signal,
      onSettled: (items) => this.#settled(items),
      onRefused: (item, refusal) => {
        refusals.logOnce(item, refusal)
        this.#reconcileQueue.addRefused(item, refusal)
      },
    })
  }

  /** Resolves when the stream has ended and its events are merged. @throws UpstreamFailure */
  async run(): Promise<void> {
    try {
      await this.#follow()
    } finally {
      // Also where what was read before could not be merged.
      if (this.#rewinding !== null) {
        // Batches in flight save offsets of the old log.
        await this.#reorderBuffer.awaitInFlight()
        await this.#rewinding
        await forgetOldLog(this.#rewindOptions())
      }
    }
  }

  #rewindOptions(): RewindOptions {
    const { db, client, shard, selection, log, stopSignal } = this.#options
    return { db, upstream: client.address, shard, selection, signal: stopSignal, log }
  }

  /** Saves the fork at once: the process may end while events of the old log are merged, and the upstream says it once. */
  #rewind(nextId: number): void {
    this.#rewinding ??= this.#checkpoints.closeWith(() => rewindToFork(this.#rewindOptions(), nextId))
    // Awaited when the stream has ended; until then a rejection must not count as unhandled.
    this.#rewinding.catch(() => {})
  }

  async #follow(): Promise<void> {
    try {
      for (let fromId: number | null = this.#options.start.fromId; fromId !== null; )
        fromId = await this.#followStream(fromId)
    } finally {
      for (const event of this.#orderedEvents.takeUnlogged()) await this.#mergeEvent(event)
      await this.#reorderBuffer.drain()
      await this.#settled(this.#itemCount)
      await this.#checkpoints.save()
    }
  }

  /** Returns the id from which to subscribe again; null when the upstream has ended the stream. */
  async #followStream(fromId: number): Promise<number | null> {
    const { client, shard, signal, metrics, idleMs = IDLE_MS } = this.#options
    const onLogReset = (nextId: number) => this.#rewind(nextId)
    const stream = client.subscribe({ shard, fromId, idleMs, onLogReset }, signal)
    /** Where the stream is: what was fetched beside it is ahead. */
    let streamId = fromId
    for await (const { events, hasMore } of stream) {
      streamId = events.reduce((highest, { id }) => Math.max(highest, id), streamId)
      const logEnd = events.length > 0 ? null : await this.#checkLogEnd()
      for await (const part of this.#orderedEvents.read(events, logEnd?.id ?? null)) {
        metrics.heard()
        if (part.events.length > 0) this.#progressMs = this.#options.clock()
        if (part.found > 0) metrics.missed(part.found, false)
        await this.#merge(part.events, hasMore && !part.hasMore)
      }
      if (logEnd === null) continue
      const { nextId } = this.#orderedEvents
      this.#endIfReplaced(logEnd.id, nextId)
      if (logEnd.quietUntil === null) this.#failOverIfStalled()
      else this.#options.onProgress()
      const isCaughtUp = logEnd.id === null || nextId > logEnd.id
      if (logEnd.quietUntil !== null && isCaughtUp) metrics.caughtUp(shard, logEnd.quietUntil)
      // The stream would bring what was fetched once more, and repeated events are known for some blocks only.
      const isAhead = blockOf(nextId) - blockOf(streamId) > RETAINED_BLOCKS
      if (isAhead && this.#rewinding === null) return eventId(blockOf(nextId), 0)
    }
    return null
  }

  /**
   * Ends the stream of a log that began anew, whose events have ids below that of the subscription: at the second look, because a
   * node behind a balancer may be behind for a moment. @throws UpstreamFailure
   */
  #endIfReplaced(newestId: number | null, nextId: number): void {
    const seemedReplaced = this.#seemsReplaced
    this.#seemsReplaced = newestId !== null && this.#rewinding === null && isOfNewLog(newestId, nextId)
    if (!(this.#seemsReplaced && seemedReplaced)) return
    throw new UpstreamFailure(status.UNAVAILABLE, this.#options.client.address, 'its log has begun anew')
  }

  /** Leaves a node of the network that makes no blocks, if there is another upstream. @throws UpstreamFailure */
  #failOverIfStalled(): void {
    const { client, clock, hasOtherUpstreams } = this.#options
    // After the clock has gone back, the silence is measured anew.
    this.#progressMs = Math.min(this.#progressMs, clock())
    const silentMs = clock() - this.#progressMs
    if (!hasOtherUpstreams || silentMs < MAX_BLOCK_SILENCE_MS) return
    const seconds = Math.floor(silentMs / 1000)
    throw new UpstreamFailure(status.UNAVAILABLE, client.address, `no new block for ${seconds} seconds`)
  }

  /**
   * Merges events in upstream order. Merges converge in any order, but the log shows the order and what displaced what, and both
   * hubs should agree. Waits for the end of it unless more has arrived.
   */
  async #merge(events: readonly UpstreamEvent[], hasMore: boolean): Promise<void> {
    for (const event of events) await this.#mergeEvent(event)
    const { nextId, blockTime } = this.#orderedEvents
    this.#checkpoints.push({ items: this.#itemCount, nextId, blockTime })
    if (!hasMore) await this.#reorderBuffer.drain()
    await this.#settled(hasMore ? 0 : this.#itemCount)
    // Not what is read once more at each start.
    if (nextId <= this.#reachedId) return
    this.#reachedId = nextId
    this.#options.onProgress()
  }

  async #mergeEvent(event: UpstreamEvent): Promise<void> {
    const item = this.#toMergeItem(event)
    if (item === null) return
    if (!isItem(item)) {
      this.#reorderBuffer.countRefusal(item)
      this.#options.refusals.logOnce(null, item)
      return
    }
    const selected = this.#options.selection.includes(item) ? item : provenName(item)
    if (selected === null) {
      this.#options.metrics.count('ignored', 1)
      return
    }
    this.#itemCount += 1
    const sourceOffset = event.id === NO_ID ? undefined : { log: this.#logName, id: event.id }
    // A batch is merged in the order of its timestamps, and what the key has signed must come first.
    if (removesGaslessKey(selected)) await this.#reorderBuffer.drain()
    await this.#reorderBuffer.add({ ...selected, sourceOffset })
  }

  /**
   * Converts an event to an item, null or a refusal. What a node of the network merges on its shard 0 is in the log of every
   * shard, and is taken from one: a shard that lags would bring back a loan that has ended. The slots of channels are merged
   * as decided there, as in any other order they would differ.
   */
  #toMergeItem(event: UpstreamEvent): MergeItem | Refusal | null {
    const { shard, shards, client } = this.#options
    const item = readSent(client.address, () => toMergeItem(event))
    if (item === null || !isItem(item) || item.kind !== 'message') return item
    const { type, fid } = item.message.data
    if (!isOfShardZero(type, true)) return item
    const isChannel = isChannelType(type)
    if (shard !== shardOf(isChannel ? CHANNELS_FID : fid, shards)) return null
    return isChannel ? { ...item, isHistorical: true } : item
  }

  /**
   * Reads the end of the log: an idle stream may have left out the last events. A node of the network makes a block each second:
   * one without new blocks is itself behind.
   */
  async #checkLogEnd(): Promise<LogEnd> {
    const { client, shard, signal, clock } = this.#options
    const now = farcasterSecondsFromUnixMs(clock())
    const [newest] = await client.events({ shard, from: 0, limit: 1, reverse: true }, signal)
    await this.#checkpoints.save()
    return { id: newest?.id ?? null, quietUntil: (await hasPeers(client, signal)) ? null : now }
  }

  async #settled(items: number): Promise<void> {
    this.#count()
    await this.#checkpoints.settled(items)
  }

  #count(): void {
    const { merged, duplicates, refused: reasons } = this.#reorderBuffer.tally
    const refused = [...reasons.values()].reduce((sum, count) => sum + count, 0)
    const { metrics } = this.#options
    metrics.count('merged', merged - this.#reported.merged)
    metrics.count('duplicate', duplicates - this.#reported.duplicates)
    metrics.count('refused', refused - this.#reported.refused)
    this.#reported = { merged, duplicates, refused }
  }
}
