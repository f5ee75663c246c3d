import type { Fragment } from '#postgres'
import type { Database, Queryable } from '../../platform/db/connection.js'
import { cellsWithin, KM_PER_DEGREE } from '../../platform/geo/cells.js'
import { EARTH_RADIUS_KM } from '../../platform/geo/distance.js'
import { type DehydratedUserRow, dehydratedUserColumns } from './dehydrated-user-columns.js'
import { MAX_SORT_KEY } from './user-popularity.js'

/** Finds users by name or address: fids alone, for the hydrator. */

/** `!7`: the name shown for a user without a username. */
const placeholderPattern = /^!(\d{1,15})$/

/** The user with a username, case-insensitive; null for none. */
export async function findFidByUsername(db: Database, username: string): Promise<number | null> {
  const placeholder = placeholderPattern.exec(username)
  const [row] = placeholder
    ? await db<{ fid: number }[]>`
        select fid from social.users where fid = ${Number(placeholder[1])} and username is null`
    : await db<{ fid: number }[]>`
        select fid from social.users where username = ${username.toLowerCase()} order by fid limit 1`
  return row?.fid ?? null
}

/** A subselect of the fids of users with any of these names, in lowercase, or as they are shown without a name. */
export function fidsOfUsernames(db: Database, usernames: readonly string[]): Fragment {
  const unnamed = usernames.flatMap((username) => placeholderPattern.exec(username)?.[1] ?? []).map(Number)
  const byName = db`select u.fid from social.users u where u.username = any (${db.types.texts(usernames)}::text[])`
  if (unnamed.length === 0) return byName
  return db`
    ${byName}
    union all
    select u.fid from social.users u where u.fid = any (${unnamed}::bigint[]) and u.username is null`
}

/** The user whose fid an address owns on chain; the last registered if it owns several. */
export async function findFidByCustody(db: Database, address: Buffer): Promise<number | null> {
  const [row] = await db<{ fid: number }[]>`
    select fid
    from social.users
    where custody_address = ${db.types.bytea(address)}
    order by registered_at desc, fid desc
    limit 1
  `
  return row?.fid ?? null
}

/** Users with an X username, given without `@`, most popular first. */
export async function findFidsByXUsername(db: Database, name: string): Promise<number[]> {
  const rows = await db<{ fid: number }[]>`
    select u.fid
    from (
      -- Each source by its own index: "or" between them would read every user.
      select fid from social.users where lower(twitter) = lower(${name})
      union
      select v.fid
      from social.verified_accounts v
      join social.users p using (fid)
      where v.platform = 'x' and lower(v.username) = lower(${name})
        -- The profile's own account comes before it, as it is shown.
        and coalesce(p.twitter, '') = ''
    ) named
    join social.users u using (fid)
    left join social.user_counts c using (fid)
    order by coalesce(c.follower_count, 0) desc, u.fid
    limit 100
  `
  return rows.map(({ fid }) => fid)
}

/** The ways in which an address can belong to a user. */
export interface AddressKinds {
  readonly custody: boolean
  readonly verified: boolean
}

/** An address and a user who holds it. */
export interface AddressHolder {
  /** Lowercase hex without 0x. */
  readonly address: string
  readonly fid: number
}

/** Of one address: nothing but its own users keeps an address from being verified by a million of them. */
const MAX_HOLDERS = 100

/** The holders of addresses: for each, the custody owner first, then users who verified it, oldest first. */
export async function findAddressHolders(
  db: Database,
  addresses: readonly Buffer[],
  addressKinds: AddressKinds,
): Promise<AddressHolder[]> {
  const addressList = db.types.byteas(addresses)
  return await db<AddressHolder[]>`
    select encode(given.address, 'hex') as address, held.fid
    from (select distinct unnest(${addressList}::bytea[]) as address) given
    cross join lateral (
      select fid, kind, since
      from (
        select fid, 0 as kind, registered_at as since
        from social.users
        where ${addressKinds.custody} and custody_address = given.address
        union all
        select v.fid, 1, v.ts
        from social.verifications v
        where ${addressKinds.verified} and v.address = given.address
      ) each
      order by kind, since, fid
      limit ${MAX_HOLDERS}
    ) held
    order by held.kind, held.since, held.fid
  `
}

/** Finds the user who verified an address last; null if nobody did. */
export async function findLatestVerifier(db: Database, address: Buffer): Promise<number | null> {
  const [row] = await db<{ fid: number }[]>`
    select fid from social.verifications where address = ${address} order by ts desc, fid desc limit 1`
  return row?.fid ?? null
}

/** An address that a user verified. */
export interface VerificationRow {
  readonly address: Buffer
  /** Protocol: 0 Ethereum, 1 Solana. */
  readonly protocol: number
  /** Farcaster seconds. */
  readonly ts: number
  /** The app whose key signed it; null if unknown. */
  readonly app: DehydratedUserRow | null
}

/** Reads a user's verified addresses, latest first. */
export async function readVerifications(db: Database, fid: number): Promise<VerificationRow[]> {
  return await db<VerificationRow[]>`
    select v.address, v.protocol, v.ts, ${dehydratedUserColumns(db, 'app')} as app
    from social.verifications v
    left join social.signer_apps a on a.fid = v.fid and a.key = v.signer
    left join social.users app on app.fid = a.app_fid
    where v.fid = ${fid}
    order by v.ts desc, v.address
  `
}

/** A channel that a user follows. */
export interface FollowedChannel {
  readonly id: string
  /** Unix seconds. */
  readonly followedAt: number
}

/**
 * Reads the channels that a user follows, latest first, after the key `[followedAt, id]` of the previous
 * page.
 */
export async function readFollowedChannels(
  db: Database,
  fid: number,
  limit: number,
  after: readonly [followedAt: number, id: string] | null,
): Promise<FollowedChannel[]> {
  const [followedAt, id] = after ?? [MAX_SORT_KEY, '']
  return await db<FollowedChannel[]>`
    select channel_id as id, followed_at as "followedAt"
    from channels.follows
    where fid = ${fid} and (followed_at, channel_id) < (${followedAt}::bigint, ${id})
    order by followed_at desc, channel_id desc
    limit ${limit}
  `
}

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
