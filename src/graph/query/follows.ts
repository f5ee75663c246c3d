import type { Database } from '../../platform/db/connection.js'
import { MAX_SORT_KEY } from '../project/user-popularity.js'
import { type ShortUser, shortUserOf } from './dehydrated-user-columns.js'

/** The side of a list: the followers of the user, or the users it follows. */
export type FollowSide = 'followers' | 'following'

/** One follow in the list of a user. */
export interface FollowRow {
  /** The other user. */
  readonly fid: number
  /** Farcaster seconds. */
  readonly ts: number
  /** The app whose key signed the link; null if unknown. */
  readonly app: ShortUser | null
}

/** A page of the list of a user. */
export interface FollowsQuery {
  readonly fid: number
  readonly side: FollowSide
  /** Fids that the list leaves out. */
  readonly hidden: readonly number[]
  readonly limit: number
}

/** Reads follows by time, latest first, after the key `[ts, fid]` of the previous page. */
export async function readFollows(
  db: Database,
  { fid, side, hidden, limit }: FollowsQuery,
  after: readonly [ts: number, fid: number] | null,
): Promise<FollowRow[]> {
  const [ts, other] = after ?? [MAX_SORT_KEY, MAX_SORT_KEY]
  const { ownColumn, otherColumn } = columnsOf(side)
  return await db<FollowRow[]>`
    select f.${db(otherColumn)} as fid, f.ts, ${shortUserOf(db, 'app')} as app
    from social.follows f
    left join social.signer_apps a on a.fid = f.fid and a.key = f.signer
    left join social.users app on app.fid = a.app_fid
    where f.${db(ownColumn)} = ${fid}
      and (f.ts, f.${db(otherColumn)}) < (${ts}::bigint, ${other}::bigint)
      and f.${db(otherColumn)} <> all (${[...hidden]}::bigint[])
      and exists (select 1 from social.users u where u.fid = f.${db(otherColumn)})
    order by f.ts desc, f.${db(otherColumn)} desc
    limit ${limit}
  `
}

/** The columns of `follows` that hold the user of the list and the other users. */
export function columnsOf(side: FollowSide): { ownColumn: string; otherColumn: string } {
  return side === 'followers'
    ? { ownColumn: 'target_fid', otherColumn: 'fid' }
    : { ownColumn: 'fid', otherColumn: 'target_fid' }
}

/** Reads the fids that a user follows, unordered, up to a limit. */
export async function readFollowed(db: Database, fid: number, limit: number): Promise<number[]> {
  const [row] = await db<{ followed: number[] }[]>`
    select array(select target_fid from social.follows where fid = ${fid} limit ${limit}) as followed
  `
  return row!.followed
}
