import { Counter, Gauge, type Registry } from 'prom-client'
import { farcasterSecondsFromUnixMs } from '../../protocol/time.js'

/** Counters of the sync. */
export type UpstreamMetrics = ReturnType<typeof createUpstreamMetrics>

/** Registers the sync metrics; `clock` is in Unix milliseconds. */
export function createUpstreamMetrics(registry: Registry, clock: () => number) {
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
  const times = new Map<number, number>()
  new Gauge({
    name: 'plaza_sync_block_age_seconds',
    help: 'Age of the newest block of each upstream shard that is merged',
    labelNames: ['shard'],
    registers,
    collect() {
      const now = farcasterSecondsFromUnixMs(clock())
      for (const [shard, time] of times) this.set({ shard }, Math.max(0, now - time))
    },
  })
  return {
    count(outcome: 'merged' | 'duplicate' | 'refused' | 'ignored', count: number): void {
      items.inc({ outcome }, count)
    },
    /** Records the newest merged block of a shard, with its time in Farcaster seconds. */
    blockMerged(shard: number, blockTime: number): void {
      times.set(shard, blockTime)
    },
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
