import { loadBannedFids } from '../graph/cache/banned-users.js'
import type { Hydrator } from '../graph/cache/hydrator.js'
import { loadHiddenFids, type Viewer } from '../graph/query/visibility-filter.js'
import type { Database } from '../platform/db/connection.js'
import type { Caller } from './caller.js'

/** The viewer of a request, and the users whom its app bans. */
export interface RequestViewer extends Viewer {
  readonly banned: ReadonlySet<number>
}

/** Loads the viewer of a request, if it names one, and the bans of its app. */
export async function viewerOf(
  { db, hydrator }: { readonly db: Database; readonly hydrator: Hydrator },
  { appId }: Pick<Caller, 'appId'>,
  viewerFid?: number,
): Promise<RequestViewer> {
  const banned = await loadBannedFids(db, hydrator.singleFlight, appId)
  return { viewerFid, banned, banningAppId: banned.size > 0 ? appId : undefined }
}

/** Fids whose users and casts a list leaves out for this viewer and app. */
export async function hiddenFidsFor(
  context: { readonly db: Database; readonly hydrator: Hydrator },
  caller: Pick<Caller, 'appId'>,
  viewerFid?: number,
) {
  return await loadHiddenFids(context.db, await viewerOf(context, caller, viewerFid))
}
