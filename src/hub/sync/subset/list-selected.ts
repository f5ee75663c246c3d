import type { Database } from '../../../platform/db/connection.js'
import { enqueueFids, listFids } from '../backfill/fid-list.js'
import type { Upstreams } from '../client/upstreams.js'
import { findChannelAuthors } from './find-selected.js'
import { readSelectedUsers, setConfiguredUsers } from './selected-rows.js'
import type { SubsetSettings } from './selected-users.js'

/**
 * Writes down everybody who is to be fetched: of the whole network, or of the part that is followed.
 *
 * @returns how many there are.
 * @throws UpstreamFailure
 */
export async function listSelectedFids(
  db: Database,
  upstreams: Upstreams,
  subset: SubsetSettings | null,
  signal: AbortSignal,
): Promise<number> {
  if (subset === null) return await listFids(db, upstreams, signal)
  await setConfiguredUsers(db, subset.fids)
  await findChannelAuthors(db, upstreams, subset.channelUrls, signal)
  const fids = new Set((await readSelectedUsers(db)).map(({ fid }) => fid))
  await enqueueFids(db, [...fids])
  return fids.size
}
