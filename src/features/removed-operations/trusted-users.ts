import { POWER_BADGE_SCORE } from '../../graph/view/schema/user.js'
import type { Database } from '../../platform/db/connection.js'
import { literal } from '../../platform/db/literal.js'

/** A user with the power badge, and its sort key. */
interface TrustedUser {
  readonly fid: number
  readonly score: number
}

/**
 * Reads the users with the power badge, highest score first, after the key `[score, fid]` of the previous page. The
 * score stands in the statement, so that the planner sees that the partial index `users_by_score` holds them all.
 */
export async function readTrustedUsers(
  db: Database,
  { hidden, limit }: { readonly hidden: readonly number[]; readonly limit: number },
  after: readonly [score: number, fid: number] | null,
): Promise<TrustedUser[]> {
  const [score, fid] = after ?? [2, 0]
  return await db<TrustedUser[]>`
    select u.fid, u.score
    from social.users u
    where u.score >= ${literal(db, POWER_BADGE_SCORE)}
      and (u.score, u.fid) < (${score}::real, ${fid}::bigint)
      and u.fid <> all (${[...hidden]}::bigint[])
    order by u.score desc, u.fid desc
    limit ${limit}
  `
}
