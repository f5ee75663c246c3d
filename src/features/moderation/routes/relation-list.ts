import type { CursorKind } from '../../../api/cursor.js'
import type { Hydrator } from '../../../graph/cache/hydrator.js'
import { dateTimeOf } from '../../../graph/view/formats.js'
import { jsonArray } from '../../../graph/view/json.js'
import type { RelationRow } from '../relation-cursor.js'

/** What the members of a reply are called. */
interface RelationNames {
  readonly list: 'mutes' | 'bans'
  readonly object: 'mute' | 'ban'
  readonly user: 'muted' | 'banned'
  readonly since: 'muted_at' | 'banned_at'
}

/**
 * A page of mutes or bans as JSON. Who is gone from here is left out: a record without its user would tell nothing.
 *
 * @param relationRows One more than fits when there is a next page.
 */
export async function relationListJson(
  hydrator: Hydrator,
  relationRows: readonly RelationRow[],
  limit: number,
  cursors: CursorKind<[number, number]>,
  names: RelationNames,
): Promise<string> {
  const page = relationRows.slice(0, limit)
  const users = await hydrator.users(page.map(({ fid }) => fid))
  const records = page.flatMap(({ fid, since }) => {
    const user = users.get(fid)
    if (user === undefined) return []
    return [`{"object":"${names.object}","${names.user}":${user},"${names.since}":"${dateTimeOf(since)}"}`]
  })
  const last = relationRows.length > limit ? page.at(-1) : undefined
  const next = { cursor: last ? cursors.encode([last.since, last.fid]) : null }
  return `{"${names.list}":${jsonArray(records)},"next":${JSON.stringify(next)}}`
}
