import type { Database } from '../db/connection.js'
import { placeOf, type RelationPlace, type RelationRow } from './relation-page.js'

/**
 * Keeps a user out of another's sight. Nobody else learns of it: a mute is no message.
 *
 * @param now Unix seconds.
 * @returns false when it was so already.
 */
export async function mute(db: Database, fid: number, mutedFid: number, now: number): Promise<boolean> {
  const added = await db`
    insert into relations.mutes (fid, target_fid, muted_at) values (${fid}, ${mutedFid}, ${now})
    on conflict do nothing
    returning fid
  `
  return added.length > 0
}

/** The reverse of `mute`. */
export async function unmute(db: Database, fid: number, mutedFid: number): Promise<boolean> {
  const removed = await db`
    delete from relations.mutes where fid = ${fid} and target_fid = ${mutedFid} returning fid
  `
  return removed.length > 0
}

/** Whom a user mutes. */
export function listMutes(
  db: Database,
  fid: number,
  limit: number,
  after: RelationPlace,
): Promise<RelationRow[]> {
  const [since, target] = placeOf(after)
  return db<RelationRow[]>`
    select target_fid as fid, muted_at as since
    from relations.mutes
    where fid = ${fid} and (muted_at, target_fid) < (${since}::bigint, ${target}::bigint)
    order by muted_at desc, target_fid desc
    limit ${limit}
  `
}
