import type { Database, Queryable } from '../../platform/db/connection.js'
import { cellsWithin } from '../../platform/geo/cells.js'
import { EARTH_RADIUS_KM } from '../../platform/geo/distance.js'

/** Users further away than this are not near. */
export const NEAR_KM = 100

/** A user, and how far away. */
export interface NearUser {
  readonly fid: number
  readonly km: number
}

export interface NearAsked {
  /** Degrees. */
  readonly latitude: number
  readonly longitude: number
  readonly hidden: readonly number[]
  readonly limit: number
}

/**
 * Users within 100 km by their profile, the nearest first, behind the key `[km, fid]` of the page before. Reads the
 * places of all users in the cells around, from the index alone.
 */
export async function readUsersNear(
  db: Database,
  { latitude, longitude, hidden, limit }: NearAsked,
  after: readonly [km: number, fid: number] | null,
): Promise<NearUser[]> {
  const [km, fid] = after ?? [-1, 0]
  const cells = cellsWithin(latitude, longitude, NEAR_KM)
  return await db<NearUser[]>`
    select fid, km
    from (
      select u.fid, ${kmFrom(db, latitude, longitude)} as km
      from social.users u
      where u.geo_cell = any (${cells}::integer[]) and u.fid <> all (${[...hidden]}::bigint[])
    ) placed
    where km <= ${NEAR_KM} and (km, fid) > (${km}::float8, ${fid}::bigint)
    order by km, fid
    limit ${limit}
  `
}

/** SQL for how far a user of `social.users u` is from a place, by the haversine formula. Degrees. */
export function kmFrom(db: Queryable, latitude: number, longitude: number) {
  return db`
    ${2 * EARTH_RADIUS_KM}::float8 * asin(least(1, sqrt(
      sin(radians(u.latitude - ${latitude}::float8) / 2) ^ 2
      + cos(radians(${latitude}::float8)) * cos(radians(u.latitude))
        * sin(radians(u.longitude - ${longitude}::float8) / 2) ^ 2
    )))`
}
