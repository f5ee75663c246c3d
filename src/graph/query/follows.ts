import type { Database } from '../../platform/db/connection.js'
import { MAX_SORT_KEY } from '../project/user-popularity.js'
import { type ShortUser, shortUserOf } from './dehydrated-user-columns.js'

/** Whose list: those who follow the user, or those whom it follows. */
export type FollowSide = 'followers' | 'following'

/** One follow, seen from the user whose list it is in. */
export interface FollowRow {
  /** The other one. */
  readonly fid: number
  /** Farcaster seconds. */
  readonly ts: number
  /** The app whose key signed the link; null if that is not known. */
  readonly app: ShortUser | null
}

export interface FollowsQuery {
  readonly fid: number
  readonly side: FollowSide
  /** Fids that the list is to be without. */
  readonly hidden: readonly number[]
  readonly limit: number
}

/** Follows by time, most recent first, behind the key `[ts, fid]` of the page before. */
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

/** The columns of `follows` that hold the user whose list it is, and the others. */
export function columnsOf(side: FollowSide): { ownColumn: string; otherColumn: string } {
  return side === 'followers'
    ? { ownColumn: 'target_fid', otherColumn: 'fid' }
    : { ownColumn: 'fid', otherColumn: 'target_fid' }
}

/** Whom a user follows, in no order; no more than so many. */
export async function readFollowed(db: Database, fid: number, limit: number): Promise<number[]> {
  const [row] = await db<{ followed: number[] }[]>`
    select array(select target_fid from social.follows where fid = ${fid} limit ${limit}) as followed
  `
  return row!.followed
}
