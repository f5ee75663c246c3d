import type { Fragment } from '#postgres'
import type { Database } from '../platform/db/connection.js'

/**
 * The condition that a reaction of one user is to this cast, for a look-up by the primary key (fid, target_hash, target_fid, type).
 * Written as two equalities, PostgreSQL 18 may take the index of the cast instead, whose `fid` stands behind the time, and reads all
 * of its reactions: 12 ms for a cast with 100,000, and 0.15 ms so.
 *
 * @param table The alias of `social.reactions`.
 */
export function isReactionTo(
  db: Database,
  table: string,
  { hash, fid }: { readonly hash: Fragment; readonly fid: Fragment },
): Fragment {
  const target = db`(${db(`${table}.target_hash`)}, ${db(`${table}.target_fid`)})`
  return db`${target} >= (${hash}, ${fid}) and ${target} <= (${hash}, ${fid})`
}
