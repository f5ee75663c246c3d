import type { Database, Queryable } from '../../platform/db/connection.js'
import { cellsWithin } from '../../platform/geo/cells.js'
import { EARTH_RADIUS_KM } from '../../platform/geo/distance.js'

/** Users further away than this are not near. */
export const MAX_DISTANCE_KM = 100

/** A user, and how far away. */
export interface NearbyUser {
  readonly fid: number
  readonly km: number
}

export interface NearbyUsersQuery {
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
export async function readNearbyUsers(
  db: Database,
  { latitude, longitude, hidden, limit }: NearbyUsersQuery,
  after: readonly [km: number, fid: number] | null,
): Promise<NearbyUser[]> {
  const [km, fid] = after ?? [-1, 0]
  const cells = cellsWithin(latitude, longitude, MAX_DISTANCE_KM)
  return await db<NearbyUser[]>`
    select fid, km
    from (
      select u.fid, ${distanceKmFrom(db, latitude, longitude)} as km
      from social.users u
      where u.geo_cell = any (${cells}::integer[]) and u.fid <> all (${[...hidden]}::bigint[])
    ) placed
    where km <= ${MAX_DISTANCE_KM} and (km, fid) > (${km}::float8, ${fid}::bigint)
    order by km, fid
    limit ${limit}
  `
}

/** SQL for how far a user of `social.users u` is from a place, by the haversine formula. Degrees. */
export function distanceKmFrom(db: Queryable, latitude: number, longitude: number) {
  return db`
    ${2 * EARTH_RADIUS_KM}::float8 * asin(least(1, sqrt(
      sin(radians(u.latitude - ${latitude}::float8) / 2) ^ 2
      + cos(radians(${latitude}::float8)) * cos(radians(u.latitude))
        * sin(radians(u.longitude - ${longitude}::float8) / 2) ^ 2
    )))`
}
