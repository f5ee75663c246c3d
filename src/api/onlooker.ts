import type { Caller } from '../apps/caller.js'
import { loadBanned } from '../hydrate/banned.js'
import type { Onlooker } from '../social/queries/casts-shown-to.js'
import type { OperationContext } from './operation.js'

/** Who looks, and whom the app bans through which they do. */
export interface RequestOnlooker extends Onlooker {
  readonly banned: ReadonlySet<number>
}

/** For whom a list is made: its viewer, where one is named, and the app of the key. */
export async function onlookerOf(
  { db, hydrator }: Pick<OperationContext, 'db' | 'hydrator'>,
  { appId }: Pick<Caller, 'appId'>,
  viewerFid?: number,
): Promise<RequestOnlooker> {
  const banned = await loadBanned(db, hydrator.shared, appId)
  return { viewerFid, banned, banningAppId: banned.size > 0 ? appId : undefined }
}
