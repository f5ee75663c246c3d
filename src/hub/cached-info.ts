import type { Database } from '../platform/db/connection.js'
import { type HubInfo, readHubInfo } from './query/info.js'

/** Counting everything takes a while, so the counts are shared for this long. */
const CACHE_TTL_MS = 10_000

/**
 * What the hub holds, counted at most every ten seconds. A failure is told to those who wait for it, and to nobody
 * after them.
 */
export function cacheHubInfo(db: Database, clock: () => number): () => Promise<HubInfo> {
  let cached: { at: number; info: Promise<HubInfo> } | null = null
  return () => {
    if (cached && clock() - cached.at < CACHE_TTL_MS) return cached.info
    const info = readHubInfo(db)
    const entry = { at: clock(), info }
    cached = entry
    info.catch(() => {
      if (cached === entry) cached = null
    })
    return info
  }
}
