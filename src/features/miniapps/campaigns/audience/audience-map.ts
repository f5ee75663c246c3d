import type { Database } from '../../../../platform/db/connection.js'
import { type AudienceFilter, audienceTokens, forceCustomPlan } from './audience.js'

/** Where the users of an audience are, without saying where one of them is. */
export interface AudienceMap {
  /** Users that were counted; of a larger audience the first by fid. */
  readonly users: number
  readonly isComplete: boolean
  readonly located: number
  /** The centers of cells, those with the most users first. */
  readonly cells: readonly { readonly latitude: number; readonly longitude: number; readonly users: number }[]
}

/** Degrees of a cell in both directions: 222 km from north to south. Locations of profiles are of cities. */
export const CELL_DEGREES = 2
/** Cells with fewer users are left out, so that no cell tells about a person. */
export const MIN_CELL_USERS = 5
/** Users counted at most, as many as a campaign may name. */
const MAX_USERS = 100_000
const MAX_CELLS = 1_000

/** Counts the users of an audience by cells of a grid. */
export async function mapAudience(
  db: Database,
  { appId, audience }: { readonly appId: string; readonly audience: AudienceFilter },
): Promise<AudienceMap> {
  const [row] = await db.begin(async (transaction) => {
    await forceCustomPlan(transaction)
    return await transaction<[Omit<AudienceMap, 'isComplete'> & { readonly found: number }]>`
      with found as materialized (
        select distinct t.fid
        from (${audienceTokens(transaction, appId, audience)}) t
        where t.state = 'enabled'
        order by t.fid
        limit ${MAX_USERS + 1}
      ),
      counted as materialized (
        select u.latitude, u.longitude, u.geo_cell
        from (select fid from found order by fid limit ${MAX_USERS}) f
        left join social.users u on u.fid = f.fid
      ),
      cells as (
        select
          -- The pole is in the last row, and 180 degrees east are 180 degrees west.
          floor(least(latitude, ${90 - CELL_DEGREES / 2}::float8) / ${CELL_DEGREES}) * ${CELL_DEGREES}
            + ${CELL_DEGREES / 2}::float8 as latitude,
          floor((case when longitude = 180 then -180 else longitude end) / ${CELL_DEGREES}) * ${CELL_DEGREES}
            + ${CELL_DEGREES / 2}::float8 as longitude,
          count(*)::integer as users
        from counted
        where geo_cell is not null
        group by 1, 2
        having count(*) >= ${MIN_CELL_USERS}
        order by users desc, 1, 2
        limit ${MAX_CELLS}
      )
      select
        (select count(*)::integer from found) as found,
        (select count(*)::integer from counted) as users,
        (select count(*)::integer from counted where geo_cell is not null) as located,
        (select coalesce(jsonb_agg(to_jsonb(cells)), '[]') from cells) as cells`
  })
  const { found, ...counts } = row
  return { ...counts, isComplete: found <= MAX_USERS }
}
