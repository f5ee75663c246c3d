import { loadBanned } from '../graph/cache/banned.js'
import type { Hydrator } from '../graph/cache/hydrator.js'
import type { Onlooker } from '../graph/query/casts-shown-to.js'
import type { Database } from '../platform/db/connection.js'
import type { Caller } from './caller.js'

/** Who looks, and whom the app bans through which they do. */
export interface RequestOnlooker extends Onlooker {
  readonly banned: ReadonlySet<number>
}

/** For whom a list is made: its viewer, where one is named, and the app of the key. */
export async function onlookerOf(
  { db, hydrator }: { readonly db: Database; readonly hydrator: Hydrator },
  { appId }: Pick<Caller, 'appId'>,
  viewerFid?: number,
): Promise<RequestOnlooker> {
  const banned = await loadBanned(db, hydrator.shared, appId)
  return { viewerFid, banned, banningAppId: banned.size > 0 ? appId : undefined }
}
