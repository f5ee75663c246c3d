import type { Database } from '../../platform/db/connection.js'
import { cacheTag } from './cache-tags.js'
import type { SingleFlightCache, Tagged } from './single-flight-cache.js'

/** A limit for changes that nobody publishes. A ban publishes its tag. */
const MAX_AGE_MS = 60_000

/** Loads the fids that an app bans. Every list asks for them and few apps ban anybody: they are cached per app. */
export async function loadBannedFids(
  db: Database,
  singleFlight: SingleFlightCache,
  appId: string,
): Promise<ReadonlySet<number>> {
  return singleFlight.read(`bans ${appId}`, MAX_AGE_MS, () => readBannedFids(db, appId))
}

async function readBannedFids(db: Database, appId: string): Promise<Tagged<ReadonlySet<number>>> {
  const rows = await db<{ fid: number }[]>`select fid from moderation.bans where app_id = ${appId}`
  return { value: new Set(rows.map(({ fid }) => fid)), tags: [cacheTag.bans(appId)] }
}
