import type { Fragment } from '#postgres'
import type { Database } from '../../platform/db/connection.js'

/** The viewer of a list, and the app it is viewed through. */
export interface Viewer {
  /** The user whose blocks and mutes apply. */
  readonly viewerFid?: number | undefined
  /** The app whose bans apply; undefined when it bans nobody, so that its lists cost nothing more. */
  readonly banningAppId?: string | undefined
  /** The users whom it bans, where they are known without a statement. */
  readonly banned?: ReadonlySet<number>
}

/**
 * The condition that leaves out hidden users: those whom the viewer mutes or blocks, who block the viewer,
 * and whom the app bans. A statement reads the lists once, whatever the number of rows.
 *
 * @param column A column of fids with its table alias: `c.fid`.
 */
export function visibilityFilter(
  db: Database,
  { viewerFid, banningAppId }: Viewer,
  column: string,
): Fragment {
  if (banningAppId === undefined) return viewerFilter(db, viewerFid, column)
  // An uncorrelated `not in` is hashed once per statement: 10,000 bans take 6 ms, ten 0.2 ms. `not exists` is
  // planned as a join that reads all casts: 100 ms.
  return db`
    ${db(column)} not in (select banned.fid from moderation.bans banned where banned.app_id = ${banningAppId}::uuid)
    and ${viewerFilter(db, viewerFid, column)}`
}

/**
 * The same condition for the one author of all rows, checked before any of them is read: a limit would never end
 * the reading of casts that are all hidden.
 *
 * @param fid An expression without a column.
 */
export function authorFilter(db: Database, viewer: Viewer, fid: Fragment): Fragment {
  return db`exists (select from (select ${fid} as fid) author where ${visibilityFilter(db, viewer, 'author.fid')})`
}

function viewerFilter(db: Database, viewerFid: number | undefined, column: string): Fragment {
  if (viewerFid === undefined) return db`true`
  // Hashed, as above: `<> all` compares each hidden user with each row.
  return db`${db(column)} not in (${hiddenFrom(db, viewerFid)})`
}

/** The users whom a viewer mutes or blocks, and who block it. */
function hiddenFrom(db: Database, viewerFid: number | null): Fragment {
  return db`
    select target_fid as fid from social.blocks where fid = ${viewerFid}::bigint
    union all
    select fid from social.blocks where target_fid = ${viewerFid}::bigint
    union all
    select target_fid from moderation.mutes where fid = ${viewerFid}::bigint`
}

/**
 * Reads the fids hidden from a viewer: those it mutes or blocks, who block it, and whom the app bans. Queries
 * leave them out, so that pages are full.
 */
export async function loadHiddenFids(db: Database, { viewerFid, banningAppId }: Viewer): Promise<number[]> {
  if (viewerFid === undefined && banningAppId === undefined) return []
  const rows = await db<{ fid: number }[]>`
    ${hiddenFrom(db, viewerFid ?? null)}
    union
    select fid from moderation.bans where app_id = ${banningAppId ?? null}::uuid
  `
  return rows.map((row) => row.fid)
}

/** Reads the fids that an app bans. */
export async function readBannedFids(db: Database, appId: string): Promise<ReadonlySet<number>> {
  const rows = await db<{ fid: number }[]>`select fid from moderation.bans where app_id = ${appId}::uuid`
  return new Set(rows.map(({ fid }) => fid))
}
