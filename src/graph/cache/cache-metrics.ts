import { Counter, Gauge } from 'prom-client'
import type { Metrics } from '../../platform/metrics.js'

/** Adds and returns the count of reads of feeds: from the window of recent casts, or for a reason from the tables. */
export function countFeedReads({ registry }: Metrics): (feed: string, reason: string | null) => void {
  const reads = new Counter({
    name: 'plaza_feed_reads_total',
    help: 'Reads of feeds: a hit is read from the window of recent casts, a miss for a reason from the tables',
    labelNames: ['feed', 'reason', 'result'],
    registers: [registry],
  })
  return (feed, reason) => reads.inc({ feed, reason: reason ?? '', result: reason === null ? 'hit' : 'miss' })
}

/** Caches of a process: lookups so far by cache and result, and the entries and bytes of those that count bytes. */
export interface CacheUsage {
  readonly lookups: Readonly<Record<string, Readonly<Record<string, number>>>>
  readonly sizes: Readonly<Record<string, { readonly entries: number; readonly bytes: number }>>
}

/** Adds metrics of the caches. */
export function observeCaches(metrics: Metrics, read: () => CacheUsage): void {
  const registers = [metrics.registry]
  new Counter({
    name: 'plaza_cache_lookups_total',
    help: 'Lookups in caches by cache and result',
    labelNames: ['cache', 'result'],
    registers,
    collect() {
      this.reset()
      for (const [cache, results] of Object.entries(read().lookups)) {
        for (const [result, count] of Object.entries(results)) this.inc({ cache, result }, count)
      }
    },
  })
  new Gauge({
    name: 'plaza_cache_entries',
    help: 'Entries of caches that are bounded by bytes',
    labelNames: ['cache'],
    registers,
    collect() {
      for (const [cache, { entries }] of Object.entries(read().sizes)) this.set({ cache }, entries)
    },
  })
  new Gauge({
    name: 'plaza_cache_bytes',
    help: 'Bytes of caches that are bounded by bytes',
    labelNames: ['cache'],
    registers,
    collect() {
      for (const [cache, { bytes }] of Object.entries(read().sizes)) this.set({ cache }, bytes)
    },
  })
}

/** Adds whether the window of recent casts is filled. Until it is, feeds are read from the tables. */
export function observeWindow({ registry }: Metrics, isFilled: () => boolean): void {
  new Gauge({
    name: 'plaza_recent_window_filled',
    help: '1 when the window of recent casts holds all that it may, 0 while it is filled',
    registers: [registry],
    collect() {
      this.set(isFilled() ? 1 : 0)
    },
  })
}
