import type { Metrics } from '../../platform/metrics.js'
import type { CacheState } from './schema/system.js'

interface Counts {
  lookups: number
  hits: number
  entries: number | null
  bytes: number | null
}

/** Outcomes that count as lookups: a value that is known to be too large is not looked up. */
const counted = new Set(['hit', 'miss'])

/** The caches of this process, as its metrics count them, by name. */
export async function readCaches({ registry }: Metrics): Promise<CacheState[]> {
  const caches = new Map<string, Counts>()
  const countsOf = (name: string): Counts => {
    const counts = caches.get(name) ?? { lookups: 0, hits: 0, entries: null, bytes: null }
    caches.set(name, counts)
    return counts
  }
  for (const { labels, value } of await valuesOf(registry, 'plaza_cache_lookups_total')) {
    const counts = countsOf(String(labels.cache))
    if (counted.has(String(labels.result))) counts.lookups += value
    if (labels.result === 'hit') counts.hits += value
  }
  for (const { labels, value } of await valuesOf(registry, 'plaza_cache_entries'))
    countsOf(String(labels.cache)).entries = value
  for (const { labels, value } of await valuesOf(registry, 'plaza_cache_bytes'))
    countsOf(String(labels.cache)).bytes = value
  return [...caches]
    .map(([name, { lookups, hits, entries, bytes }]) => ({
      object: 'cache' as const,
      name,
      lookups,
      hit_share: lookups === 0 ? null : hits / lookups,
      entries,
      bytes,
    }))
    .sort((a, b) => (a.name < b.name ? -1 : 1))
}

async function valuesOf(registry: Metrics['registry'], name: string) {
  return (await registry.getSingleMetric(name)?.get())?.values ?? []
}
