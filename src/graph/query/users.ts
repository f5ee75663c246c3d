import type { Fragment } from '#postgres'
import type { Database } from '../../platform/db/connection.js'

/** Finds the fids of users by name or address. */

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
      select fid from social.users where lower(twitter) = lower(${name}) and twitter <> ''
      union
      select v.fid
      from social.verified_accounts v
      join social.users p using (fid)
      where v.platform = 'x' and lower(v.username) = lower(${name})
        -- The profile's own account comes before it, as it is shown, also an empty one.
        and p.twitter is null
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

/** Users of one address: nothing but its own users keeps an address from being verified by a million of them. */
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
