import type { Fragment } from 'postgres'
import type { Database } from '../../platform/db/connection.js'

/** Who looks at a list, and through which app. */
export interface Viewer {
  /** Whose blocks and mutes count. */
  readonly viewerFid?: number | undefined
  /** The app whose bans count; none where it bans nobody, so that lists cost nothing more for it. */
  readonly banningAppId?: string | undefined
}

/**
 * A condition that leaves out users who are not to be seen: whom the viewer mutes, whom it blocks, who blocks it, and
 * whom the app bans. The lists are read once in a statement, however many rows they are held against.
 *
 * @param column Of fids, with its table's alias: `c.fid`.
 */
export function visibilityFilter(
  db: Database,
  { viewerFid, banningAppId }: Viewer,
  column: string,
): Fragment {
  if (banningAppId === undefined) return viewerFilter(db, viewerFid, column)
  // An uncorrelated `not in` is hashed, once in a statement: 10,000 bans take 6 ms, ten 0.2. `not exists` is planned
  // as a join that reads all casts, 100 ms.
  return db`
    ${db(column)} not in (select banned.fid from moderation.bans banned where banned.app_id = ${banningAppId}::uuid)
    and ${viewerFilter(db, viewerFid, column)}`
}

function viewerFilter(db: Database, viewerFid: number | undefined, column: string): Fragment {
  if (viewerFid === undefined) return db`true`
  return db`
    ${db(column)} <> all (array(
      select target_fid from social.blocks where fid = ${viewerFid}::bigint
      union all
      select fid from social.blocks where target_fid = ${viewerFid}::bigint
      union all
      select target_fid from moderation.mutes where fid = ${viewerFid}::bigint
    ))`
}

/**
 * Who is not to be seen: whom the viewer mutes, whom it blocks, who blocks it, and whom the app bans. Skeletons leave
 * them out, so that pages stay full.
 */
export async function loadHiddenFids(db: Database, { viewerFid, banningAppId }: Viewer): Promise<number[]> {
  if (viewerFid === undefined && banningAppId === undefined) return []
  const [viewer, app] = [viewerFid ?? null, banningAppId ?? null]
  const rows = await db<{ fid: number }[]>`
    select target_fid as fid from social.blocks where fid = ${viewer}::bigint
    union
    select fid from social.blocks where target_fid = ${viewer}::bigint
    union
    select target_fid from moderation.mutes where fid = ${viewer}::bigint
    union
    select fid from moderation.bans where app_id = ${app}::uuid
  `
  return rows.map((row) => row.fid)
}
