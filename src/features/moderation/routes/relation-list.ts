import type { CursorKind } from '../../../api/cursor.js'
import type { Hydrator } from '../../../graph/cache/hydrator.js'
import { dateTimeOf } from '../../../graph/view/formats.js'
import { jsonArray } from '../../../graph/view/json.js'
import type { Database } from '../../../platform/db/connection.js'
import { PlazaError } from '../../../platform/errors.js'
import type { RelationRow } from '../relation-cursor.js'
import { findUnregisteredFids } from '../unregistered-fids.js'

/** Throws a 404 that names the member, unless all fids are registered. */
export async function requireUsers(db: Database, fids: readonly number[], property: string): Promise<void> {
  const missing = await findUnregisteredFids(db, fids)
  if (missing.length === 0) return
  throw new PlazaError('not_found', `no such users: ${missing.join(', ')}`, { property })
}

/** Member names of a reply. */
interface RelationNames {
  readonly list: 'mutes' | 'bans'
  readonly object: 'mute' | 'ban'
  readonly user: 'muted' | 'banned'
  readonly since: 'muted_at' | 'banned_at'
}

/**
 * Renders a page of mutes or bans. Users without a profile are left out.
 *
 * @param relationRows One more than `limit` when there is a next page.
 */
export async function relationListJson(
  hydrator: Hydrator,
  relationRows: readonly RelationRow[],
  limit: number,
  cursors: CursorKind<[number, number]>,
  names: RelationNames,
): Promise<string> {
  const { page, next } = cursors.page(relationRows, limit, (last) => [last.since, last.fid])
  const users = await hydrator.users(page.map(({ fid }) => fid))
  const records = page.flatMap(({ fid, since }) => {
    const user = users.get(fid)
    if (user === undefined) return []
    return [`{"object":"${names.object}","${names.user}":${user},"${names.since}":"${dateTimeOf(since)}"}`]
  })
  return `{"${names.list}":${jsonArray(records)},"next":${JSON.stringify(next)}}`
}
