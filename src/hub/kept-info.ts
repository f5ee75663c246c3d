import type { Database } from '../platform/db/connection.js'
import { type HubInfo, readHubInfo } from './query/info.js'

/** Counting everything takes a while, so the counts are shared for this long. */
const KEPT_MS = 10_000

/**
 * What the hub holds, counted at most every ten seconds. A failure is told to those who wait for it, and to nobody
 * after them.
 */
export function keepHubInfo(db: Database, clock: () => number): () => Promise<HubInfo> {
  let counted: { at: number; info: Promise<HubInfo> } | null = null
  return () => {
    if (counted && clock() - counted.at < KEPT_MS) return counted.info
    const info = readHubInfo(db)
    const own = { at: clock(), info }
    counted = own
    info.catch(() => {
      if (counted === own) counted = null
    })
    return info
  }
}
