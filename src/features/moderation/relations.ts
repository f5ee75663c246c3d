import type { Fragment } from '#postgres'
import { cacheTag } from '../../graph/cache/cache-tags.js'
import { type CacheWriter, publishSql } from '../../graph/cache/invalidation.js'
import type { Database, Transaction } from '../../platform/db/connection.js'
import { PlazaError } from '../../platform/errors.js'

/** The other end of a relation, and when it began: in Farcaster seconds for blocks, else in Unix seconds. */
export interface RelationRow {
  readonly fid: number
  readonly since: number
}

/** Where relations are stored: the column that a list is for, the one that it lists, and its time. */
const relations = {
  /** Users that a user blocks. */
  blocked: ['social.blocks', 'fid', 'target_fid', 'ts'],
  /** Users that block a user. */
  blockers: ['social.blocks', 'target_fid', 'fid', 'ts'],
  mutes: ['moderation.mutes', 'fid', 'target_fid', 'muted_at'],
  /** Users that an app bans. */
  bans: ['moderation.bans', 'app_id', 'fid', 'banned_at'],
} as const

/**
 * Lists relations of a user or an app, newest first.
 *
 * @param after The last row of the previous page.
 */
export function listRelations(
  db: Database,
  relation: keyof typeof relations,
  owner: number | string,
  limit: number,
  after: readonly [since: number, fid: number] | null,
): Promise<RelationRow[]> {
  const [table, ownerColumn, ...columns] = relations[relation]
  const [target, time] = columns.map((column) => db(column))
  const [since, fid] = after ?? [Number.MAX_SAFE_INTEGER, Number.MAX_SAFE_INTEGER]
  return db<RelationRow[]>`
    select ${target!} as fid, ${time!} as since
    from ${db(table)}
    where ${db(ownerColumn)} = ${owner} and (${time!}, ${target!}) < (${since}::bigint, ${fid}::bigint)
    order by ${time!} desc, ${target!} desc
    limit ${limit}`
}

/** Returns when a block began, in Farcaster seconds; null when there is none. */
export async function blockedSince(
  db: Database,
  blockerFid: number,
  blockedFid: number,
): Promise<number | null> {
  const [row] = await db<{ ts: number }[]>`
    select ts from social.blocks where fid = ${blockerFid} and target_fid = ${blockedFid}`
  return row?.ts ?? null
}

/**
 * Users that one user may mute, give or take what is muted at the same moment. Each list that the user views is filtered by them,
 * and every app may add some.
 */
export const MAX_MUTES = 10_000

/**
 * Mutes a user for a viewer at a Unix second. The muted user does not learn of it.
 *
 * @returns False when it was muted already. Null when the viewer would exceed `MAX_MUTES`.
 */
export async function mute(
  writer: CacheWriter,
  fid: number,
  mutedFid: number,
  nowUnix: number,
): Promise<boolean | null> {
  const { db } = writer
  const isNew = await changeMutes(
    writer,
    fid,
    db`
      insert into moderation.mutes (fid, target_fid, muted_at)
      select ${fid}::bigint, ${mutedFid}::bigint, ${nowUnix}::bigint
      where (select count(*) from moderation.mutes where fid = ${fid}) < ${MAX_MUTES}::bigint
      on conflict do nothing`,
  )
  if (isNew) return true
  const [existing] = await db`select from moderation.mutes where fid = ${fid} and target_fid = ${mutedFid}`
  return existing === undefined ? null : false
}

/** Ends a mute. Returns false when there was none. */
export function unmute(writer: CacheWriter, fid: number, mutedFid: number): Promise<boolean> {
  const { db } = writer
  return changeMutes(
    writer,
    fid,
    db`delete from moderation.mutes where fid = ${fid} and target_fid = ${mutedFid}`,
  )
}

async function changeMutes(
  { db, invalidation }: CacheWriter,
  fid: number,
  change: Fragment,
): Promise<boolean> {
  const stale = [cacheTag.viewer(fid), cacheTag.mutes(fid)] as const
  const changed = await db`
    with changed as (${change} returning fid)
    select ${publishSql(db, stale[0])}, ${publishSql(db, stale[1])} from changed`
  invalidation.apply({ tags: stale })
  return changed.length > 0
}

/** Bans that one app may have. Each list is filtered by them, and each server caches them. */
export const MAX_BANS = 10_000

/**
 * Bans users from everything that an app shows.
 *
 * @returns The number of users that were not banned before. Null when the app would exceed `MAX_BANS`: then
 * nobody is banned.
 */
export async function ban(
  { db, invalidation }: CacheWriter,
  appId: string,
  fids: readonly number[],
  nowUnix: number,
): Promise<number | null> {
  const row = await db.begin(async (transaction) => {
    // In a statement of its own: the count sees what those have added that held it before.
    await transaction`select pg_advisory_xact_lock(hashtext(${`bans of ${appId}`}))`
    return await addBans(transaction, appId, fids, nowUnix)
  })
  invalidation.apply({ tags: [cacheTag.bans(appId)] })
  return row.isTooMany ? null : row.changed
}

interface AddedBans {
  readonly changed: number
  readonly isTooMany: boolean
}

async function addBans(
  db: Transaction,
  appId: string,
  fids: readonly number[],
  nowUnix: number,
): Promise<AddedBans> {
  const [row] = await db<AddedBans[]>`
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
      select ${appId}::uuid, fid, ${nowUnix}::bigint from fresh
      where (select is_enough from capacity)
      order by fid
      on conflict do nothing
      returning fid
    ),
    published as (${countAndPublish(db, appId, db`added`)})
    select changed, not is_enough as "isTooMany" from published, capacity`
  return row!
}

/** Ends bans. Returns how many users were banned. */
export async function unban(
  { db, invalidation }: CacheWriter,
  appId: string,
  fids: readonly number[],
): Promise<number> {
  const [row] = await db<{ changed: number }[]>`
    with removed as (
      delete from moderation.bans where app_id = ${appId} and fid = any (${[...fids]}::bigint[]) returning fid
    )
    ${countAndPublish(db, appId, db`removed`)}`
  invalidation.apply({ tags: [cacheTag.bans(appId)] })
  return row!.changed
}

function countAndPublish(db: Database | Transaction, appId: string, changed: Fragment): Fragment {
  return db`
    select count(*)::integer as changed, ${publishSql(db, cacheTag.bans(appId))}
    from ${changed}`
}

/** Fids that one error names. */
const MAX_NAMED = 100

/** Throws a 404 that names the member, unless all fids are registered. */
export async function requireUsers(db: Database, fids: readonly number[], property: string): Promise<void> {
  const missing = await db<{ fid: number }[]>`
    select distinct fid
    from unnest(${[...fids]}::bigint[]) as requested (fid)
    where not exists (select from social.users u where u.fid = requested.fid)
    order by fid`
  if (missing.length === 0) return
  const list = missing.slice(0, MAX_NAMED).map(({ fid }) => fid)
  const others = missing.length > MAX_NAMED ? ` and ${missing.length - MAX_NAMED} more` : ''
  throw new PlazaError('not_found', `no such users: ${list.join(', ')}${others}`, { property })
}
