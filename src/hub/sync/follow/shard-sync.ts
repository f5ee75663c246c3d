import type { Database } from '../../../platform/db/connection.js'
import type { Refusal } from '../../../platform/errors.js'
import type { Log } from '../../../platform/log/log.js'
import { HubEvent, HubEventType } from '../../../protocol/definitions.js'
import { isChannelType } from '../../../protocol/message-kinds.js'
import { CHANNELS_FID, isOfShardZero, shardOf } from '../../../protocol/shard.js'
import { farcasterSecondsFromUnixMs } from '../../../protocol/time.js'
import { decodeItem, isItem } from '../../archive/frame.js'
import type { MergeItem } from '../../merge/shard-writer.js'
import { ReorderBuffer, type ReorderBufferOptions } from '../../reorder-buffer.js'
import type { UpstreamClient, UpstreamEvent } from '../client/upstream-client.js'
import { hasPeers } from '../client/upstreams.js'
import { ReconcileQueue, type UpstreamRefusalLog } from '../reconcile-queue.js'
import type { Selection } from '../subset/selected-users.js'
import type { UpstreamMetrics } from '../upstream-metrics.js'
import { type StartCursor, saveCursor, sourceLogName } from './cursors.js'
import { GapTracker } from './gap-tracker.js'
import { rewindToFork } from './rewind.js'

export interface ShardSyncOptions {
  readonly db: Database
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
  /** Called when events arrive: the upstream works. */
  readonly onProgress: () => void
  /** After this time without events the end of the log is checked. */
  readonly idleMs?: number
}

/** A position in the log: when this many items have settled, everything before it is merged. */
interface Checkpoint {
  readonly items: number
  readonly nextId: number
  readonly blockTime: number
}

/** An event that waits. Without an id it has the position of the one before it, and waits for the same. */
interface BufferedEvent {
  readonly event: UpstreamEvent
  readonly position: number
}

/** Interval of saving the cursor: more often would cost a commit for each small batch. */
const SAVE_EVERY_MS = 250
/** Network nodes produce a block each second; this is for idle ones. */
const IDLE_MS = 5_000
/** Id of all events that a node of the network streams without being in its log: those of gasless keys. */
const NO_ID = 0
/** Events per request for missing ones. */
const PAGE_EVENTS = 1000

/** Follows the log of one upstream shard for one subscription. */
export class ShardSync {
  readonly #options: ShardSyncOptions
  readonly #reorderBuffer: ReorderBuffer
  readonly #reconcileQueue: ReconcileQueue
  readonly #logName: string
  readonly #gapTracker: GapTracker
  /** Events that wait for missing ones before them. */
  readonly #buffered: BufferedEvent[] = []
  /** Highest id that has arrived; lower than all before the first. */
  #highestId = -1
  #checkpoints: Checkpoint[] = []
  #itemCount = 0
  #blockTime: number
  #reported = { merged: 0, duplicates: 0, refused: 0 }
  #unsavedCheckpoint: Checkpoint | null = null
  /** The id to continue from when the log of the upstream went back. */
  #fork: number | null = null
  #savedMs = 0

  constructor(options: ShardSyncOptions) {
    const { db, client, shard, start, hub, trusted, signal, refusals } = options
    this.#options = options
    this.#gapTracker = new GapTracker(start.fromId)
    this.#blockTime = start.blockTime
    this.#logName = sourceLogName(client.address, shard)
    this.#reconcileQueue = new ReconcileQueue(db)
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
      if (this.#fork !== null) await this.#rewind(this.#fork)
    }
  }

  async #rewind(nextId: number): Promise<void> {
    const { db, client, shard, log, stopSignal } = this.#options
    // Batches in flight save offsets of the old log.
    await this.#reorderBuffer.settle()
    await rewindToFork({ db, upstream: client.address, shard, signal: stopSignal, log }, nextId)
  }

  async #follow(): Promise<void> {
    const { client, shard, start, signal, metrics, idleMs = IDLE_MS } = this.#options
    const { fromId } = start
    const onLogReset = (nextId: number) => {
      this.#fork = nextId
    }
    const stream = client.subscribe({ shard, fromId, idleMs, onLogReset }, signal)
    try {
      for await (const { events, hasMore } of stream) {
        if (events.length > 0) this.#options.onProgress()
        const quietUntil = events.length > 0 ? null : await this.#checkLogEnd()
        metrics.heard()
        for (const event of events) this.#buffer(event)
        await this.#fetchMissing()
        await this.#mergeInOrder()
        if (!hasMore) await this.#reorderBuffer.drain()
        await this.#settled(hasMore ? 0 : this.#itemCount)
        if (quietUntil !== null && this.#buffered.length === 0) metrics.caughtUp(shard, quietUntil)
      }
    } finally {
      await this.#mergeUnlogged()
      await this.#reorderBuffer.drain()
      await this.#settled(this.#itemCount)
      await this.#save()
    }
  }

  /** Buffers an event until all before it have arrived. Returns false for a repeated one. */
  #buffer(event: UpstreamEvent): boolean {
    const { id, type } = event
    const isNew = id === NO_ID || this.#gapTracker.add(id, type, () => this.#readBlockSize(event))
    if (id !== NO_ID) this.#highestId = Math.max(this.#highestId, id)
    if (isNew) this.#buffered.push({ event, position: id === NO_ID ? this.#highestId : id })
    return isNew
  }

  /**
   * Merges events that have no gap before them, in upstream order. Merges converge in any order, but the log
   * shows the order and what displaced what, and both hubs should agree.
   */
  async #mergeInOrder(): Promise<void> {
    const end = this.#gapTracker.advance()
    this.#sortBuffered()
    const after = this.#gapTracker.isReliable
      ? this.#buffered.findIndex(({ position }) => position >= end)
      : -1
    await this.#mergeFirst(after < 0 ? this.#buffered.length : after)
    // Blocks before the start are read again, but they are merged.
    const nextId = Math.max(end, this.#options.start.nextId)
    this.#checkpoints.push({ items: this.#itemCount, nextId, blockTime: this.#blockTime })
  }

  /**
   * Merges events that wait and have no id, with those before them, despite the gap: the stream has ended, and the log does
   * not have them. What is missing follows with the next stream.
   */
  async #mergeUnlogged(): Promise<void> {
    this.#sortBuffered()
    await this.#mergeFirst(this.#buffered.findLastIndex(({ event }) => event.id === NO_ID) + 1)
  }

  #sortBuffered(): void {
    // Stable: an event without an id stays behind the one that came before it.
    this.#buffered.sort((a, b) => a.position - b.position)
  }

  async #mergeFirst(count: number): Promise<void> {
    for (const { event } of this.#buffered.splice(0, count)) await this.#mergeEvent(event)
  }

  async #mergeEvent(event: UpstreamEvent): Promise<void> {
    const item = this.#toMergeItem(event)
    if (item === null) return
    if (!isItem(item)) {
      this.#reorderBuffer.countRefusal(item)
      this.#options.refusals.logOnce(null, item)
    } else if (this.#options.selection.includes(item)) {
      this.#itemCount += 1
      const sourceOffset = event.id === NO_ID ? undefined : { log: this.#logName, id: event.id }
      // A batch is merged in the order of its timestamps, and what the key has signed must come first.
      if (removesGaslessKey(item)) await this.#reorderBuffer.drain()
      await this.#reorderBuffer.add({ ...item, sourceOffset })
    } else {
      this.#options.metrics.count('ignored', 1)
    }
  }

  /**
   * Converts an event to an item, null or a refusal. What a node of the network merges on its shard 0 is in the log of every
   * shard, and is taken from one: a shard that lags would bring back a loan that has ended. The slots of channels are merged
   * as decided there, as in any other order they would differ.
   */
  #toMergeItem(event: UpstreamEvent): MergeItem | Refusal | null {
    const item = toMergeItem(event)
    if (item === null || !isItem(item) || item.kind !== 'message') return item
    const { type, fid } = item.message.data
    if (!isOfShardZero(type, true)) return item
    const isChannel = isChannelType(type)
    const { shard, shards } = this.#options
    if (shard !== shardOf(isChannel ? CHANNELS_FID : fid, shards)) return null
    return isChannel ? { ...item, isHistorical: true } : item
  }

  /**
   * Checks the end of the log: an idle stream may have left out the last events. Returns the time of the check in Farcaster
   * seconds; null for a node of the network, which makes a block each second: one without new blocks is itself behind.
   */
  async #checkLogEnd(): Promise<number | null> {
    const { client, shard, signal, clock } = this.#options
    const now = farcasterSecondsFromUnixMs(clock())
    const [newest] = await client.events({ shard, from: 0, limit: 1, reverse: true }, signal)
    if (newest) this.#gapTracker.expect(newest.id)
    await this.#save()
    return (await hasPeers(client, signal)) ? null : now
  }

  /** Returns the number of events of a block. */
  #readBlockSize({ bytes }: UpstreamEvent): number {
    const body = HubEvent.decode(bytes).blockConfirmedBody
    this.#blockTime = Math.max(this.#blockTime, body?.timestamp ?? 0)
    return body?.totalEvents ?? 1
  }

  /** Requests events that should have arrived: a stream may leave some out. */
  async #fetchMissing(): Promise<void> {
    const { client, shard, signal, metrics } = this.#options
    for (const range of this.#gapTracker.missingRanges()) {
      const { from, stop } = range
      let found = 0
      for (let next = from; next < stop; ) {
        const events = await client.events({ shard, from: next, stop, limit: PAGE_EVENTS }, signal)
        for (const event of events) found += Number(this.#buffer(event))
        const last = events.at(-1)
        next = last === undefined ? stop : last.id + 1
      }
      this.#gapTracker.recordFound(range, found)
      if (found > 0) metrics.missed(found, false)
    }
  }

  async #settled(items: number): Promise<void> {
    while (this.#checkpoints[0] && this.#checkpoints[0].items <= items)
      this.#unsavedCheckpoint = this.#checkpoints.shift() ?? null
    this.#count()
    if (this.#unsavedCheckpoint === null || this.#options.clock() - this.#savedMs < SAVE_EVERY_MS) return
    await this.#save()
  }

  async #save(): Promise<void> {
    const { db, client, shard, clock, selection } = this.#options
    const checkpoint = this.#unsavedCheckpoint
    if (checkpoint === null) return
    this.#unsavedCheckpoint = null
    this.#savedMs = clock()
    // Before the cursor: events before it are not read again.
    await this.#reconcileQueue.flush()
    await selection.flush()
    await saveCursor(db, client.address, shard, checkpoint)
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

function removesGaslessKey(item: MergeItem): boolean {
  return item.kind === 'message' && item.message.data.keyRemoveBody !== undefined
}

/** Converts an event to an item or a refusal, or null: prunes and revocations follow from the rules. */
function toMergeItem({ type, bytes }: UpstreamEvent): MergeItem | Refusal | null {
  switch (type) {
    case HubEventType.MERGE_MESSAGE:
    case HubEventType.MERGE_ON_CHAIN_EVENT:
      return decodeItem(bytes)
    case HubEventType.MERGE_USERNAME_PROOF: {
      const body = HubEvent.decode(bytes).mergeUsernameProofBody
      // A pruned name proof has this type as well, with only the deleted proof.
      return body?.usernameProof || body?.usernameProofMessage ? decodeItem(bytes) : null
    }
    default:
      return null
  }
}
