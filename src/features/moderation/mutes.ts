import { staleViewChannel } from '../../graph/cache/cache-follower.js'
import { viewerTag } from '../../graph/cache/viewer-cache.js'
import type { Database } from '../../platform/db/connection.js'
import { cursorOrFirstPage, type RelationCursor, type RelationRow } from './relation-cursor.js'

/**
 * Keeps a user out of another's sight. No user learns of it: a mute is no message. Every process is told that what it
 * knows of the viewer is stale.
 *
 * @param now Unix seconds.
 * @returns false when it was so already.
 */
export async function mute(db: Database, fid: number, mutedFid: number, now: number): Promise<boolean> {
  const added = await db`
    with added as (
      insert into moderation.mutes (fid, target_fid, muted_at) values (${fid}, ${mutedFid}, ${now})
      on conflict do nothing
      returning fid
    )
    select pg_notify(${staleViewChannel}, ${viewerTag(fid)})::text from added
  `
  return added.length > 0
}

/** The reverse of `mute`. */
export async function unmute(db: Database, fid: number, mutedFid: number): Promise<boolean> {
  const removed = await db`
    with removed as (
      delete from moderation.mutes where fid = ${fid} and target_fid = ${mutedFid} returning fid
    )
    select pg_notify(${staleViewChannel}, ${viewerTag(fid)})::text from removed
  `
  return removed.length > 0
}

/** Whom a user mutes. */
export function listMutes(
  db: Database,
  fid: number,
  limit: number,
  after: RelationCursor,
): Promise<RelationRow[]> {
  const [since, target] = cursorOrFirstPage(after)
  return db<RelationRow[]>`
    select target_fid as fid, muted_at as since
    from moderation.mutes
    where fid = ${fid} and (muted_at, target_fid) < (${since}::bigint, ${target}::bigint)
    order by muted_at desc, target_fid desc
    limit ${limit}
  `
}
