import type { Database } from '../../../platform/db/connection.js'
import { listFids, wantFids } from '../backfill/fid-list.js'
import type { Upstreams } from '../client/upstreams.js'
import { findChannelAuthors } from './find-followed.js'
import { readFollowed, setAsked } from './followed-rows.js'
import type { SubsetSettings } from './followed-users.js'

/**
 * Writes down everybody who is to be fetched: of the whole network, or of the part that is followed.
 *
 * @returns how many there are.
 * @throws UpstreamFailure
 */
export async function listFollowed(
  db: Database,
  upstreams: Upstreams,
  subset: SubsetSettings | null,
  signal: AbortSignal,
): Promise<number> {
  if (subset === null) return await listFids(db, upstreams, signal)
  await setAsked(db, subset.fids)
  await findChannelAuthors(db, upstreams, subset.channelUrls, signal)
  const fids = new Set((await readFollowed(db)).map(({ fid }) => fid))
  await wantFids(db, [...fids])
  return fids.size
}
