import type { Database, Queryable } from '../../platform/db/connection.js'
import { cellsWithin, KM_PER_DEGREE } from '../../platform/geo/cells.js'
import { EARTH_RADIUS_KM } from '../../platform/geo/distance.js'

/** Users near a point, by the location of their profile. */

/** The largest distance at which a user is near. */
export const MAX_DISTANCE_KM = 100

/** A user and its distance. */
export interface NearbyUser {
  readonly fid: number
  readonly km: number
}

/** A location, and the page of the users near it. */
export interface NearbyUsersQuery {
  /** Degrees. */
  readonly latitude: number
  readonly longitude: number
  readonly hidden: readonly number[]
  readonly limit: number
}

/** Tried one after the other until a page is full: most pages of a city are full within the first. */
const RADII_KM = [10, MAX_DISTANCE_KM]

/** Reads users within 100 km by their profile, nearest first, after the key `[km, fid]` of the previous page. */
export async function readNearbyUsers(
  db: Database,
  query: NearbyUsersQuery,
  after: readonly [km: number, fid: number] | null,
): Promise<NearbyUser[]> {
  let found: NearbyUser[] = []
  for (const radiusKm of RADII_KM) {
    if (after && after[0] > radiusKm) continue
    found = await readUsersWithin(db, radiusKm, query, after ?? [-1, 0])
    if (found.length === query.limit) break
  }
  return found
}

/**
 * Locations are rounded to a hundredth of a degree, and half of a city gives the same one: distances are computed for
 * points, the nearest points are taken until they have enough users, and each gives its lowest fids by index. In a city
 * of 120,000 users a page takes 10 ms of PostgreSQL instead of 53, and for a viewer with 3,000 blocks 10 instead of
 * 944: `not in` hashes the fids, `<> all` compares each of them with each user.
 */
async function readUsersWithin(
  db: Database,
  radiusKm: number,
  { latitude, longitude, hidden, limit }: NearbyUsersQuery,
  [km, fid]: readonly [km: number, fid: number],
): Promise<NearbyUser[]> {
  const cells = cellsWithin(latitude, longitude, radiusKm)
  // A little more than the radius: rounding must not decide.
  const reach = (1.01 * radiusKm) / KM_PER_DEGREE
  return await db<NearbyUser[]>`
    with points as materialized (
      select u.geo_cell, u.latitude, u.longitude, u.users, ${distanceKmFrom(db, latitude, longitude)} as km
      from (
        select geo_cell, latitude, longitude, count(*)::integer as users
        from social.users
        where geo_cell = any (${cells}::integer[])
          and latitude between ${latitude - reach}::float8 and ${latitude + reach}::float8
        group by geo_cell, latitude, longitude
      ) u
    ), nearest as materialized (
      select geo_cell, latitude, longitude, km
      from (
        -- Users at nearer points. Those at the distance of the cursor may all be on earlier pages.
        select p.*, sum(case when km > ${km} then users else 0 end) over (order by km)
          - sum(case when km > ${km} then users else 0 end) over (partition by km) as nearer
        from points p
        where km >= ${km} and km <= ${radiusKm}
      ) counted
      where nearer < ${limit + hidden.length}::bigint
    )
    select near.fid, n.km
    from nearest n
    cross join lateral (
      select u.fid
      from social.users u
      where u.geo_cell = n.geo_cell and u.latitude = n.latitude and u.longitude = n.longitude
        and u.fid > case when n.km = ${km} then ${fid}::bigint else -1 end
        and u.fid not in (select unnest(${[...hidden]}::bigint[]))
      order by u.fid
      limit ${limit}
    ) near
    order by n.km, near.fid
    limit ${limit}
  `
}

/** The distance of a user of `social.users u` from a point, as SQL by the haversine formula. Degrees. */
export function distanceKmFrom(db: Queryable, latitude: number, longitude: number) {
  return db`
    ${2 * EARTH_RADIUS_KM}::float8 * asin(least(1, sqrt(
      sin(radians(u.latitude - ${latitude}::float8) / 2) ^ 2
      + cos(radians(${latitude}::float8)) * cos(radians(u.latitude))
        * sin(radians(u.longitude - ${longitude}::float8) / 2) ^ 2
    )))`
}
