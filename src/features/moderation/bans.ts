import type { Fragment } from 'postgres'
import { cacheTag } from '../../graph/cache/cache-tags.js'
import { type CacheWriter, publishSql } from '../../graph/cache/invalidation.js'
import type { Database } from '../../platform/db/connection.js'
import { cursorOrFirstPage, type RelationCursor, type RelationRow } from './relation-cursor.js'

/** Bans that one app may have. Each list is filtered by them, and each server caches them. */
export const MAX_BANS = 10_000

/**
 * Bans users from everything that an app shows.
 *
 * @param now Unix seconds.
 * @returns The number of users that were not banned before. Null when the app would exceed `MAX_BANS`: then
 * nobody is banned.
 */
export async function ban(
  { db, invalidation }: CacheWriter,
  appId: string,
  fids: readonly number[],
  now: number,
): Promise<number | null> {
  const [row] = await db<{ changed: number; isTooMany: boolean }[]>`
    with fresh as (
      select distinct fid from unnest(${[...fids]}::bigint[]) as given (fid)
      where not exists (select from moderation.bans b where b.app_id = ${appId}::uuid and b.fid = given.fid)
    ),
    capacity as (
      select (select count(*) from fresh) + (
        select count(*) from moderation.bans where app_id = ${appId}::uuid
      ) <= ${MAX_BANS}::bigint as is_enough
    ),
    added as (
      insert into moderation.bans (app_id, fid, banned_at)
      select ${appId}::uuid, fid, ${now}::bigint from fresh
      where (select is_enough from capacity)
      order by fid
      on conflict do nothing
      returning fid
    ),
    published as (${countAndPublish(db, appId, db`added`)})
    select changed, not is_enough as "isTooMany" from published, capacity
  `
  invalidation.apply({ tags: [cacheTag.bans(appId)] })
  return row!.isTooMany ? null : row!.changed
}

/** The reverse of `ban`; returns how many were banned. */
export async function unban(
  { db, invalidation }: CacheWriter,
  appId: string,
  fids: readonly number[],
): Promise<number> {
  const [row] = await db<{ changed: number }[]>`
    with removed as (
      delete from moderation.bans where app_id = ${appId} and fid = any (${[...fids]}::bigint[]) returning fid
    )
    ${countAndPublish(db, appId, db`removed`)}
  `
  invalidation.apply({ tags: [cacheTag.bans(appId)] })
  return row!.changed
}

function countAndPublish(db: Database, appId: string, changed: Fragment): Fragment {
  return db`
    select count(*)::integer as changed, ${publishSql(db, cacheTag.bans(appId))}
    from ${changed}`
}

/** Lists the users that an app bans, newest first. */
export function listBans(
  db: Database,
  appId: string,
  limit: number,
  after: RelationCursor,
): Promise<RelationRow[]> {
  const [since, fid] = cursorOrFirstPage(after)
  return db<RelationRow[]>`
    select fid, banned_at as since
    from moderation.bans
    where app_id = ${appId} and (banned_at, fid) < (${since}::bigint, ${fid}::bigint)
    order by banned_at desc, fid desc
    limit ${limit}
  `
}
