import type { Database, Queryable } from '../../platform/db/connection.js'
import { cellsWithin } from '../../platform/geo/cells.js'
import { EARTH_RADIUS_KM } from '../../platform/geo/distance.js'

/** The largest distance at which a user is near. */
export const MAX_DISTANCE_KM = 100

/** A user and its distance. */
export interface NearbyUser {
  readonly fid: number
  readonly km: number
}

/** A place, and the page of the users near it. */
export interface NearbyUsersQuery {
  /** Degrees. */
  readonly latitude: number
  readonly longitude: number
  readonly hidden: readonly number[]
  readonly limit: number
}

/**
 * Reads users within 100 km by their profile, nearest first, after the key `[km, fid]` of the previous page.
 * Reads all users of the cells around, from the index alone.
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

/** The distance of a user of `social.users u` from a place, as SQL by the haversine formula. Degrees. */
export function distanceKmFrom(db: Queryable, latitude: number, longitude: number) {
  return db`
    ${2 * EARTH_RADIUS_KM}::float8 * asin(least(1, sqrt(
      sin(radians(u.latitude - ${latitude}::float8) / 2) ^ 2
      + cos(radians(${latitude}::float8)) * cos(radians(u.latitude))
        * sin(radians(u.longitude - ${longitude}::float8) / 2) ^ 2
    )))`
}
