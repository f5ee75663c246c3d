import { HubEvent } from '@farcaster/core'
import type { Database } from '../../../platform/db/connection.js'
import type { Log } from '../../../platform/log/log.js'
import { isItem } from '../../archive/frame.js'
import { Intake, type IntakeOptions } from '../../intake.js'
import { forgetTaken } from '../../merge/log-places.js'
import type { UpstreamEvent } from '../client/event-stream.js'
import type { UpstreamClient } from '../client/upstream-client.js'
import type { RefusalLog } from '../refusal-log.js'
import type { Selection } from '../subset/selection.js'
import { Suspects, suspectAll } from '../suspects.js'
import type { UpstreamWatch } from '../upstream-watch.js'
import { BlockLedger } from './block-ledger.js'
import { logName, saveCursor } from './cursors.js'
import { itemOf } from './event-item.js'
import { findStart } from './start-place.js'

export interface ShardFollowerOptions {
  readonly db: Database
  readonly client: UpstreamClient
  /** A shard of the upstream. */
  readonly shard: number
  /** The hub's ordinary door, with what the settings say of verifying. */
  readonly hub: IntakeOptions['hub']
  readonly selection: Selection
  readonly log: Log
  readonly refusals: RefusalLog
  readonly watch: UpstreamWatch
  /** Unix milliseconds. */
  readonly clock: () => number
  readonly signal: AbortSignal
  /** Told whenever something has come: the upstream is well. */
  readonly onProgress: () => void
  /** After so long without an event it is asked whether there is none. */
  readonly idleMs?: number
}

/** Once so many items have settled, everything before the cursor is merged. */
interface Mark {
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
export class ShardFollower {
  readonly #options: ShardFollowerOptions
  readonly #intake: Intake
  readonly #suspects: Suspects
  readonly #logName: string
  #ledger = new BlockLedger(0)
  /** What has come before its turn. */
  readonly #held: UpstreamEvent[] = []
  #marks: Mark[] = []
  #taken = 0
  #blockTime = 0
  #counted = { merged: 0, duplicates: 0, refused: 0 }
  #unsaved: Mark | null = null
  #savedMs = 0

  constructor(options: ShardFollowerOptions) {
    const { db, client, shard, hub, signal, refusals } = options
    this.#options = options
    this.#logName = logName(client.address, shard)
    this.#suspects = new Suspects(db)
    this.#intake = new Intake({
      hub,
      signal,
      onSettled: (items) => this.#settled(items),
      onRefused: (item, refusal) => {
        refusals.tell(item, refusal)
        this.#suspects.refused(item, refusal)
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
    const fromId = await this.#begin()
    try {
      for await (const { events, hasMore } of client.subscribe({ shard, fromId, idleMs }, signal)) {
        if (events.length > 0) this.#options.onProgress()
        else await this.#lookAtEnd()
        for (const event of events) this.#hold(event)
        await this.#fetchMissing()
        await this.#takeInOrder()
        if (!hasMore) await this.#intake.drain()
        await this.#settled(hasMore ? 0 : this.#taken)
      }
    } finally {
      await this.#intake.drain()
      await this.#settled(this.#taken)
      await this.#save()
    }
  }

  async #begin(): Promise<number> {
    const { db, client, shard, signal, log, watch } = this.#options
    const start = await findStart(db, client, shard, signal)
    if (start.gap) {
      const { from, to } = start.gap
      log.error(
        { upstream: client.address, shard, from, to },
        'the upstream has dropped events before they came here',
      )
      watch.missed(Math.max(1, to - from), true)
      await suspectAll(db, 'a gap in the log of the upstream')
    }
    if (start.isNewLog) await forgetTaken(db, this.#logName, Number.MAX_SAFE_INTEGER)
    this.#ledger = new BlockLedger(start.fromId)
    this.#blockTime = start.blockTime
    await saveCursor(db, client.address, shard, start)
    return start.fromId
  }

  /** Keeps an event until it is its turn. False when it has come before. */
  #hold(event: UpstreamEvent): boolean {
    const isNew = this.#ledger.add(event.id, event.type, () => this.#confirm(event))
    if (isNew) this.#held.push(event)
    return isNew
  }

  /**
   * Merges what has nothing missing before it, in the order of the upstream. Merges converge in any order, but what
   * was first and what displaced it is told by the log, which is to be the same here as there.
   */
  async #takeInOrder(): Promise<void> {
    const end = this.#ledger.advance()
    this.#held.sort((a, b) => a.id - b.id)
    const after = this.#ledger.isCounting ? this.#held.findIndex(({ id }) => id >= end) : -1
    const ready = this.#held.splice(0, after < 0 ? this.#held.length : after)
    for (const event of ready) await this.#take(event)
    this.#marks.push({ items: this.#taken, nextId: end, blockTime: this.#blockTime })
  }

  async #take(event: UpstreamEvent): Promise<void> {
    const item = itemOf(event)
    if (item === null) return
    if (!isItem(item)) {
      this.#intake.refuse(item)
      this.#options.refusals.tell(null, item)
    } else if (this.#options.selection.wants(item)) {
      this.#taken += 1
      await this.#intake.add({ ...item, place: { log: this.#logName, id: event.id } })
    } else {
      this.#options.watch.count('ignored', 1)
    }
  }

  /** A stream that is still may have left out the last that there is. */
  async #lookAtEnd(): Promise<void> {
    const { client, shard, signal } = this.#options
    const [newest] = await client.events({ shard, from: 0, limit: 1, reverse: true }, signal)
    if (newest) this.#ledger.expect(newest.id)
    await this.#save()
  }

  /** How many events a block has. */
  #confirm({ bytes }: UpstreamEvent): number {
    const body = HubEvent.decode(bytes).blockConfirmedBody
    this.#blockTime = Math.max(this.#blockTime, body?.timestamp ?? 0)
    return body?.totalEvents ?? 1
  }

  /** Asks for events that should have come by now: a stream may leave some out, and this is where it shows. */
  async #fetchMissing(): Promise<void> {
    const { client, shard, signal, watch } = this.#options
    for (const { from, stop } of this.#ledger.missing()) {
      let found = 0
      for (let next = from; next < stop; ) {
        const events = await client.events({ shard, from: next, stop, limit: PAGE_EVENTS }, signal)
        for (const event of events) found += Number(this.#hold(event))
        const last = events.at(-1)
        next = last === undefined ? stop : last.id + 1
      }
      this.#ledger.found(found)
      if (found > 0) watch.missed(found, false)
    }
  }

  async #settled(items: number): Promise<void> {
    while (this.#marks[0] && this.#marks[0].items <= items) this.#unsaved = this.#marks.shift() ?? null
    this.#count()
    if (this.#unsaved === null || this.#options.clock() - this.#savedMs < SAVE_EVERY_MS) return
    await this.#save()
  }

  async #save(): Promise<void> {
    const { db, client, shard, clock, watch, selection } = this.#options
    const reached = this.#unsaved
    if (reached === null) return
    this.#unsaved = null
    this.#savedMs = clock()
    // Before the cursor: what is behind it does not come again to be noted.
    await this.#suspects.flush()
    await selection.flush()
    await saveCursor(db, client.address, shard, reached)
    watch.reached(shard, reached.blockTime)
  }

  #count(): void {
    const { merged, duplicates, refused: reasons } = this.#intake.tally
    const refused = [...reasons.values()].reduce((sum, count) => sum + count, 0)
    const { watch } = this.#options
    watch.count('merged', merged - this.#counted.merged)
    watch.count('duplicate', duplicates - this.#counted.duplicates)
    watch.count('refused', refused - this.#counted.refused)
    this.#counted = { merged, duplicates, refused }
  }
}
