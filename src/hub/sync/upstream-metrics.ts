import { Counter, Gauge, type Registry } from 'prom-client'
import type { Database } from '../../platform/db/connection.js'
import { resultWithin } from '../../platform/process/pause.js'
import { farcasterSecondsFromUnixMs } from '../../protocol/time.js'

/** Counters of the sync. */
export type UpstreamMetrics = ReturnType<typeof createUpstreamMetrics>

interface SyncedShards {
  readonly db: Database
  /** The configured upstreams. */
  readonly addresses: readonly string[]
  /** Unix milliseconds. */
  readonly clock: () => number
}

/** Registers the sync metrics. */
export function createUpstreamMetrics(registry: Registry, synced: SyncedShards) {
  const registers = [registry]
  const items = new Counter({
    name: 'plaza_sync_items_total',
    help: 'Messages, names and on-chain events from upstream: merged, duplicate, refused, or ignored as not selected',
    labelNames: ['outcome'],
    registers,
  })
  const disconnects = new Counter({
    name: 'plaza_sync_disconnects_total',
    help: 'Connections to an upstream that ended, by gRPC status',
    labelNames: ['status'],
    registers,
  })
  const missed = new Counter({
    name: 'plaza_sync_missed_events_total',
    help: 'Events missing from the stream: recovered from the upstream, or lost',
    labelNames: ['state'],
    registers,
  })
  const compared = new Counter({
    name: 'plaza_sync_differences_total',
    help: 'Messages that comparisons found missing here, or stored only here (extra)',
    labelNames: ['side'],
    registers,
  })
  const { caughtUp } = observeBlockAge(registry, synced)
  const heard = observeUpstreamAge(registry, synced.clock)
  return {
    count(outcome: 'merged' | 'duplicate' | 'refused' | 'ignored', count: number): void {
      items.inc({ outcome }, count)
    },
    /** Records that a quiet shard was merged up to a time in Farcaster seconds: the upstream had nothing newer. */
    caughtUp,
    /** Records that the upstream sent events, or that its log has no more. */
    heard,
    /** Counts a disconnect by gRPC status. */
    disconnected(status: string): void {
      disconnects.inc({ status })
    },
    /** Counts missing events that were recovered, or are lost. */
    missed(events: number, isGone: boolean): void {
      missed.inc({ state: isGone ? 'lost' : 'recovered' }, events)
    },
    /** Counts differences that a comparison found. */
    compared({ missing, extra }: { readonly missing: number; readonly extra: number }): void {
      compared.inc({ side: 'missing' }, missing)
      compared.inc({ side: 'extra' }, extra)
    },
  }
}

interface ShardRow {
  readonly shard: number
  readonly blockTime: number
}

/** Half of the time after which `/metrics` leaves a metric out. */
const READ_LIMIT_MS = 1_000

/**
 * Reads the stored cursors on each scrape, so that the age is known after a restart, too, while no upstream answers. While the
 * database does not answer in time, the age of what was read last grows: the sync stands still then as well.
 */
function observeBlockAge(registry: Registry, { db, addresses, clock }: SyncedShards) {
  const syncedUntil = new Map<number, number>()
  // The upstream that was followed last: cursors of others stay where they were.
  const read = async () =>
    await db<ShardRow[]>`
    select shard, block_time as "blockTime"
    from sync.cursors
    where upstream = (
      select upstream
      from sync.cursors
      where upstream = any(${[...addresses]}::text[])
      order by block_time desc
      limit 1
    )`
  let rows: readonly ShardRow[] = []
  let reading: Promise<void> | null = null

  /** Scrapes share a read that is late. */
  function refresh(): Promise<void> {
    reading ??= read()
      .then(
        (found) => {
          rows = found
        },
        () => {},
      )
      .finally(() => {
        reading = null
      })
    return reading
  }

  new Gauge({
    name: 'plaza_sync_block_age_seconds',
    help: 'Age of the newest block of each upstream shard that is merged; 0 while the upstream has nothing newer',
    labelNames: ['shard'],
    registers: [registry],
    async collect() {
      await resultWithin(READ_LIMIT_MS, refresh())
      this.reset()
      const now = farcasterSecondsFromUnixMs(clock())
      for (const { shard, blockTime } of rows) {
        const time = Math.max(blockTime, syncedUntil.get(shard) ?? 0)
        if (time > 0) this.set({ shard }, Math.max(0, now - time))
      }
    },
  })
  return {
    caughtUp(shard: number, time: number): void {
      syncedUntil.set(shard, time)
    },
  }
}

/**
 * Measures from the start on: an upstream that was never reached has no block whose age could grow. A process that does not
 * sync has the time since its start.
 */
function observeUpstreamAge(registry: Registry, clock: () => number): () => void {
  let heardMs = clock()
  new Gauge({
    name: 'plaza_sync_upstream_age_seconds',
    help: 'Time since this process heard from its upstream, or has started; in a process that does not sync, since its start',
    registers: [registry],
    collect() {
      this.set(Math.max(0, clock() - heardMs) / 1000)
    },
  })
  return () => {
    heardMs = clock()
  }
}
