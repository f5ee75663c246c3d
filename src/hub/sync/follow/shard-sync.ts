import { HubEvent, HubEventType } from '@farcaster/core'
import type { Database } from '../../../platform/db/connection.js'
import type { Refusal } from '../../../platform/errors.js'
import type { Log } from '../../../platform/log/log.js'
import { decodeItem, isItem } from '../../archive/frame.js'
import { deleteAppliedOffsets } from '../../merge/applied-offsets.js'
import type { MergeItem } from '../../merge/shard-writer.js'
import { ReorderBuffer, type ReorderBufferOptions } from '../../reorder-buffer.js'
import type { UpstreamEvent } from '../client/event-stream.js'
import type { UpstreamClient } from '../client/upstream-client.js'
import { queueAllUsers, ReconcileQueue, type RefusalLog } from '../reconcile-queue.js'
import type { Selection } from '../subset/selected-users.js'
import type { UpstreamMetrics } from '../upstream-metrics.js'
import { saveCursor, sourceLogName } from './cursors.js'
import { GapTracker } from './gap-tracker.js'
import { findStartCursor } from './start-cursor.js'

export interface ShardSyncOptions {
  readonly db: Database
  readonly client: UpstreamClient
  /** A shard of the upstream. */
  readonly shard: number
  /** The hub's ordinary door, with what the settings say of verifying. */
  readonly hub: ReorderBufferOptions['hub']
  readonly selection: Selection
  readonly log: Log
  readonly refusals: RefusalLog
  readonly metrics: UpstreamMetrics
  /** Unix milliseconds. */
  readonly clock: () => number
  readonly signal: AbortSignal
  /** Told whenever something has come: the upstream is well. */
  readonly onProgress: () => void
  /** After so long without an event it is asked whether there is none. */
  readonly idleMs?: number
}

/** Once so many items have settled, everything before the cursor is merged. */
interface Checkpoint {
  readonly items: number
  readonly nextId: number
  readonly blockTime: number
}

/** A cursor that is older than this is written down: more often would cost a commit for each small batch. */
const SAVE_EVERY_MS = 250
/** Nodes of the network make a block each second, so that this is for those that rest. */
const IDLE_MS = 5_000
/** How many events are fetched at once when the stream has left some out. */
const PAGE_EVENTS = 1000

/** Follows the log of one shard of an upstream for as long as one subscription lasts. */
export class ShardSync {
  readonly #options: ShardSyncOptions
  readonly #reorderBuffer: ReorderBuffer
  readonly #reconcileQueue: ReconcileQueue
  readonly #logName: string
  #gapTracker = new GapTracker(0)
  /** What has come before its turn. */
  readonly #buffered: UpstreamEvent[] = []
  #checkpoints: Checkpoint[] = []
  #itemCount = 0
  #blockTime = 0
  #reported = { merged: 0, duplicates: 0, refused: 0 }
  #unsavedCheckpoint: Checkpoint | null = null
  #savedMs = 0

  constructor(options: ShardSyncOptions) {
    const { db, client, shard, hub, signal, refusals } = options
    this.#options = options
    this.#logName = sourceLogName(client.address, shard)
    this.#reconcileQueue = new ReconcileQueue(db)
    this.#reorderBuffer = new ReorderBuffer({
      hub,
      signal,
      onSettled: (items) => this.#settled(items),
      onRefused: (item, refusal) => {
        refusals.logOnce(item, refusal)
        this.#reconcileQueue.addRefused(item, refusal)
      },
    })
  }

  /**
   * Resolves when the upstream or the signal has ended the stream, and everything that came of it is merged.
   *
   * @throws UpstreamFailure when the connection breaks.
   */
  async run(): Promise<void> {
    const { client, shard, signal, idleMs = IDLE_MS } = this.#options
    const fromId = await this.#start()
    try {
      for await (const { events, hasMore } of client.subscribe({ shard, fromId, idleMs }, signal)) {
        if (events.length > 0) this.#options.onProgress()
        else await this.#checkLogEnd()
        for (const event of events) this.#buffer(event)
        await this.#fetchMissing()
        await this.#mergeInOrder()
        if (!hasMore) await this.#reorderBuffer.drain()
        await this.#settled(hasMore ? 0 : this.#itemCount)
      }
    } finally {
      await this.#reorderBuffer.drain()
      await this.#settled(this.#itemCount)
      await this.#save()
    }
  }

  async #start(): Promise<number> {
    const { db, client, shard, signal, log, metrics } = this.#options
    const start = await findStartCursor(db, client, shard, signal)
    if (start.gap) {
      const { from, to } = start.gap
      log.error(
        { upstream: client.address, shard, from, to },
        'the upstream has dropped events before they came here',
      )
      metrics.missed(Math.max(1, to - from), true)
      await queueAllUsers(db, 'a gap in the log of the upstream')
    }
    if (start.isNewLog) await deleteAppliedOffsets(db, this.#logName, Number.MAX_SAFE_INTEGER)
    this.#gapTracker = new GapTracker(start.fromId)
    this.#blockTime = start.blockTime
    await saveCursor(db, client.address, shard, start)
    return start.fromId
  }

  /** Keeps an event until it is its turn. False when it has come before. */
  #buffer(event: UpstreamEvent): boolean {
    const isNew = this.#gapTracker.add(event.id, event.type, () => this.#readBlockSize(event))
    if (isNew) this.#buffered.push(event)
    return isNew
  }

  /**
   * Merges what has nothing missing before it, in the order of the upstream. Merges converge in any order, but what
   * was first and what displaced it is told by the log, which is to be the same here as there.
   */
  async #mergeInOrder(): Promise<void> {
    const end = this.#gapTracker.advance()
    this.#buffered.sort((a, b) => a.id - b.id)
    const after = this.#gapTracker.isReliable ? this.#buffered.findIndex(({ id }) => id >= end) : -1
    const inOrder = this.#buffered.splice(0, after < 0 ? this.#buffered.length : after)
    for (const event of inOrder) await this.#mergeEvent(event)
    this.#checkpoints.push({ items: this.#itemCount, nextId: end, blockTime: this.#blockTime })
  }

  async #mergeEvent(event: UpstreamEvent): Promise<void> {
    const item = toMergeItem(event)
    if (item === null) return
    if (!isItem(item)) {
      this.#reorderBuffer.countRefusal(item)
      this.#options.refusals.logOnce(null, item)
    } else if (this.#options.selection.includes(item)) {
      this.#itemCount += 1
      await this.#reorderBuffer.add({ ...item, sourceOffset: { log: this.#logName, id: event.id } })
    } else {
      this.#options.metrics.count('ignored', 1)
    }
  }

  /** A stream that is still may have left out the last that there is. */
  async #checkLogEnd(): Promise<void> {
    const { client, shard, signal } = this.#options
    const [newest] = await client.events({ shard, from: 0, limit: 1, reverse: true }, signal)
    if (newest) this.#gapTracker.expect(newest.id)
    await this.#save()
  }

  /** How many events a block has. */
  #readBlockSize({ bytes }: UpstreamEvent): number {
    const body = HubEvent.decode(bytes).blockConfirmedBody
    this.#blockTime = Math.max(this.#blockTime, body?.timestamp ?? 0)
    return body?.totalEvents ?? 1
  }

  /** Asks for events that should have come by now: a stream may leave some out, and this is where it shows. */
  async #fetchMissing(): Promise<void> {
    const { client, shard, signal, metrics } = this.#options
    for (const { from, stop } of this.#gapTracker.missingRanges()) {
      let found = 0
      for (let next = from; next < stop; ) {
        const events = await client.events({ shard, from: next, stop, limit: PAGE_EVENTS }, signal)
        for (const event of events) found += Number(this.#buffer(event))
        const last = events.at(-1)
        next = last === undefined ? stop : last.id + 1
      }
      this.#gapTracker.recordFound(found)
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
    const { db, client, shard, clock, metrics, selection } = this.#options
    const checkpoint = this.#unsavedCheckpoint
    if (checkpoint === null) return
    this.#unsavedCheckpoint = null
    this.#savedMs = clock()
    // Before the cursor: what is behind it does not come again to be noted.
    await this.#reconcileQueue.flush()
    await selection.flush()
    await saveCursor(db, client.address, shard, checkpoint)
    metrics.blockMerged(shard, checkpoint.blockTime)
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

/**
 * What an event of an upstream asks to be merged: a message, a transfer of a name or an event of a chain, or why it
 * cannot be read; null for the rest. What the upstream has pruned and revoked follows here from the same rules.
 */
function toMergeItem({ type, bytes }: UpstreamEvent): MergeItem | Refusal | null {
  switch (type) {
    case HubEventType.MERGE_MESSAGE:
    case HubEventType.MERGE_ON_CHAIN_EVENT:
      return decodeItem(bytes)
    case HubEventType.MERGE_USERNAME_PROOF: {
      const body = HubEvent.decode(bytes).mergeUsernameProofBody
      // A name proof that is pruned has an event of this type, too, which only tells what is gone.
      return body?.usernameProof || body?.usernameProofMessage ? decodeItem(bytes) : null
    }
    default:
      return null
  }
}
