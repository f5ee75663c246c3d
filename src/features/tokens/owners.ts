import { type Viewer, visibilityFilter } from '../../graph/query/visibility-filter.js'
import type { Database } from '../../platform/db/connection.js'

/** An owner of a token. */
export interface Owner {
  readonly tokenId: number
  readonly fid: number
}

/** Owners of a token in a list, at most. */
export const MAX_OWNERS = 200
/** Largest addresses of a token that are searched for users; most belong to exchanges and pools. */
const MAX_LARGEST_HOLDERS = 5_000

/**
 * Lists users who own tokens, by token and total balance, largest first: users that the viewer follows, then the users
 * of the largest addresses.
 */
export async function readOwners(
  db: Database,
  tokenIds: readonly number[],
  viewer: Viewer,
): Promise<Owner[]> {
  const { viewerFid } = viewer
  if (viewerFid === undefined) return await readLargestOwners(db, tokenIds, viewer)
  const [followed, largest] = await Promise.all([
    readFollowedOwners(db, tokenIds, viewer, viewerFid),
    readLargestOwners(db, tokenIds, viewer),
  ])
  const isFollowed = new Set(followed.map(({ tokenId, fid }) => `${tokenId} ${fid}`))
  return [...followed, ...largest.filter(({ tokenId, fid }) => !isFollowed.has(`${tokenId} ${fid}`))]
}

/**
 * Goes from the viewer's follows (some thousands) through their addresses to balances, so the cost does not
 * depend on the number of owners.
 *
 * The address type is not checked, since addresses of other chains are longer and have no balance here; so
 * verifications are read from their index alone.
 */
async function readFollowedOwners(db: Database, tokenIds: readonly number[], viewer: Viewer, fid: number) {
  return await db<Owner[]>`
    with followed as materialized (
      select f.target_fid as fid
      from social.follows f
      where f.fid = ${fid}::bigint and ${visibilityFilter(db, viewer, 'f.target_fid')}
    ), addresses as materialized (
      select u.fid, u.custody_address as address from followed join social.users u using (fid)
      union
      select v.fid, v.address from followed join social.verifications v using (fid)
    ), owned as (
      select t.id as token_id, a.fid, sum(b.balance) as balance
      from unnest(${[...tokenIds]}::integer[]) as t (id)
      cross join addresses a
      cross join lateral (
        select balance from tokens.balances where token_id = t.id and holder = a.address and balance > 0
        offset 0
      ) b
      group by t.id, a.fid
    ), ranked as (
      select token_id, fid, row_number() over (partition by token_id order by balance desc, fid) as rank from owned
    )
    select token_id as "tokenId", fid from ranked where rank <= ${MAX_OWNERS} order by token_id, rank
  `
}

async function readLargestOwners(db: Database, tokenIds: readonly number[], viewer: Viewer) {
  return await db<Owner[]>`
    with found as materialized (
      select t.id as token_id, o.fid
      from unnest(${[...tokenIds]}::integer[]) as t (id)
      cross join lateral (
        select u.fid, sum(u.balance) as total
        from (
          select holder, balance from tokens.balances
          where token_id = t.id and balance > 0
          order by balance desc, holder
          limit ${MAX_LARGEST_HOLDERS}
        ) b
        cross join lateral (
          select fid, b.holder, b.balance from social.users where custody_address = b.holder
          union
          select fid, b.holder, b.balance from social.verifications where address = b.holder and protocol = 0
        ) u
        where ${visibilityFilter(db, viewer, 'u.fid')}
        group by u.fid
        order by total desc, u.fid
        limit ${MAX_OWNERS}
      ) o
    ), addresses as (
      select f.token_id, f.fid, u.custody_address as address from found f join social.users u using (fid)
      union
      select f.token_id, f.fid, v.address from found f join social.verifications v using (fid) where v.protocol = 0
    ), owned as (
      select a.token_id, a.fid, sum(b.balance) as balance
      from addresses a
      join tokens.balances b on b.token_id = a.token_id and b.holder = a.address and b.balance > 0
      group by a.token_id, a.fid
    )
    select token_id as "tokenId", fid from owned order by token_id, balance desc, fid
  `
}
