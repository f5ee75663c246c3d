import { cacheTag } from '../graph/cache/cache-tags.js'
import type { Hydrator } from '../graph/cache/hydrator.js'
import type { SingleFlightCache } from '../graph/cache/single-flight-cache.js'
import { loadHiddenFids, readBannedFids, type Viewer } from '../graph/query/visibility-filter.js'
import type { Database } from '../platform/db/connection.js'
import { type Caller, isKeyless } from './caller.js'

/** The viewer of a request, and the users whom its app bans. */
export interface RequestViewer extends Viewer {
  readonly banned: ReadonlySet<number>
}

/**
 * Loads the viewer of a request, if it names one, and the bans of its app. Without a key the viewer's mutes do not apply:
 * anybody could compare the list with and without the viewer, and read whom it mutes.
 */
export async function viewerOf(
  { hydrator }: { readonly hydrator: Hydrator },
  caller: Pick<Caller, 'appId' | 'keyId'>,
  viewerFid?: number,
): Promise<RequestViewer> {
  const { appId } = caller
  const banned = await loadBannedFids(hydrator.singleFlight, appId)
  return {
    viewerFid,
    banned,
    banningAppId: banned.size > 0 ? appId : undefined,
    ignoresMutes: isKeyless(caller),
  }
}

/** Fids whose users and casts a list leaves out for this viewer and app. */
export async function hiddenFidsFor(
  context: { readonly db: Database; readonly hydrator: Hydrator },
  caller: Pick<Caller, 'appId' | 'keyId'>,
  viewerFid?: number,
) {
  const [viewer, sets] = await Promise.all([
    viewerOf(context, caller, viewerFid),
    viewerFid === undefined ? null : context.hydrator.viewerSets.load(viewerFid),
  ])
  if (!sets) return await loadHiddenFids(context.db, viewer)
  const muting = viewer.ignoresMutes ? [] : sets.muting
  return [...new Set([...sets.blocking, ...sets.blockers, ...muting, ...viewer.banned])]
}

/** A limit for changes that nobody publishes. A ban publishes its tag. */
const MAX_AGE_MS = 60_000

/** Loads the fids that an app bans. Every list asks for them and few apps ban anybody: they are cached per app. */
async function loadBannedFids(singleFlight: SingleFlightCache, appId: string): Promise<ReadonlySet<number>> {
  return singleFlight.read(`bans ${appId}`, MAX_AGE_MS, async (db) => ({
    value: await readBannedFids(db, appId),
    tags: [cacheTag.bans(appId)],
  }))
}
