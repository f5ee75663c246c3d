import { cacheTag } from '../../graph/cache/cache-tags.js'
import { type CacheWriter, publishSql } from '../../graph/cache/invalidation.js'
import type { Database } from '../../platform/db/connection.js'
import { cursorOrFirstPage, type RelationCursor, type RelationRow } from './relation-cursor.js'

/**
 * Mutes a user for a viewer. Mutes are local, so the muted user does not learn of it.
 *
 * @param now Unix seconds.
 * @returns false when the user was muted already.
 */
export async function mute(
  { db, invalidation }: CacheWriter,
  fid: number,
  mutedFid: number,
  now: number,
): Promise<boolean> {
  const stale = cacheTag.viewer(fid)
  const added = await db`
    with added as (
      insert into moderation.mutes (fid, target_fid, muted_at) values (${fid}, ${mutedFid}, ${now})
      on conflict do nothing
      returning fid
    )
    select ${publishSql(db, stale)} from added
  `
  invalidation.apply({ tags: [stale] })
  return added.length > 0
}

/** Ends a mute. Returns false when there was none. */
export async function unmute(
  { db, invalidation }: CacheWriter,
  fid: number,
  mutedFid: number,
): Promise<boolean> {
  const stale = cacheTag.viewer(fid)
  const removed = await db`
    with removed as (
      delete from moderation.mutes where fid = ${fid} and target_fid = ${mutedFid} returning fid
    )
    select ${publishSql(db, stale)} from removed
  `
  invalidation.apply({ tags: [stale] })
  return removed.length > 0
}

/** Lists the users that a user mutes, newest first. */
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
