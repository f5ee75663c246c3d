import type { Fragment } from 'postgres'
import type { Database } from '../../db/connection.js'

/**
 * A condition that leaves out users whom a viewer is not to see: whom it mutes, whom it blocks and who blocks it.
 * The list is read once in a statement, however many rows it is held against.
 *
 * @param column Of fids, with its table's alias: `c.fid`.
 */
export function shownTo(db: Database, viewerFid: number | undefined, column: string): Fragment {
  if (viewerFid === undefined) return db`true`
  return db`
    ${db(column)} <> all (array(
      select target_fid from social.blocks where fid = ${viewerFid}::bigint
      union all
      select fid from social.blocks where target_fid = ${viewerFid}::bigint
      union all
      select target_fid from relations.mutes where fid = ${viewerFid}::bigint
    ))`
}
