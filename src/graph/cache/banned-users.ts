import type { Database } from '../../platform/db/connection.js'
import type { SingleFlightCache, Tagged } from './single-flight-cache.js'

/** Changes of it are told by its tag; this is for what nobody tells. */
const MAX_AGE_MS = 60_000

/** What `loadBanned` gives for an app is made of this: whoever changes it drops the tag, and tells it to others. */
export function bansTag(appId: string): string {
  return `bans:${appId}`
}

/**
 * Whom an app bans. Every list asks for it and hardly any app has anybody banned, so it is read once for many.
 */
export async function loadBannedFids(
  db: Database,
  singleFlight: SingleFlightCache,
  appId: string,
): Promise<ReadonlySet<number>> {
  return singleFlight.read(`bans ${appId}`, MAX_AGE_MS, () => readBannedFids(db, appId))
}

async function readBannedFids(db: Database, appId: string): Promise<Tagged<ReadonlySet<number>>> {
  const rows = await db<{ fid: number }[]>`select fid from moderation.bans where app_id = ${appId}`
  return { value: new Set(rows.map(({ fid }) => fid)), tags: [bansTag(appId)] }
}
