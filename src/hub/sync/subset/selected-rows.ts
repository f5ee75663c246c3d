import type { PendingQuery, Row } from '#postgres'
import type { Database } from '../../../platform/db/connection.js'
import { CHANNELS_FID } from '../../../protocol/shard.js'

// Several processes write these rows. Each statement locks them in the order of fids, so that no deadlock is
// possible.

/** Notification channel of changes of the selection. */
export const selectionChannel = 'sync_selection'

/** Why a user is selected (`sync.selected_users.reason`). */
export type SelectionReason = 'configured' | 'channel' | 'follow' | 'interaction'

/** A reason to select a user. */
export interface SelectedUserRow {
  readonly fid: number
  readonly reason: SelectionReason
  /** The follower, for `follow`; otherwise 0. */
  readonly via: number
}

/** Returns all reasons of selected users. */
export async function readSelectedUsers(db: Database): Promise<SelectedUserRow[]> {
  return await db<SelectedUserRow[]>`select fid, reason, via from sync.selected_users`
}

/**
 * Adds reasons. Newly selected users are queued, also those who were fetched before: what happened until now was ignored. Users
 * with a reason before are known.
 */
export async function addSelectedUsers(db: Database, rows: readonly SelectedUserRow[]): Promise<void> {
  if (rows.length === 0) return
  await db`
    with added as (
      insert into sync.selected_users (fid, reason, via)
      select distinct fid, reason, via
      from unnest(
        ${rows.map(({ fid }) => fid)}::bigint[],
        ${db.types.texts(rows.map(({ reason }) => reason))}::text[],
        ${rows.map(({ via }) => via)}::bigint[]
      ) as given (fid, reason, via)
      order by fid, reason, via
      on conflict do nothing
      returning fid
    ), queued as (
      insert into sync.fids (fid, reconcile_reason, queued_at)
      select fid, 'newly selected', date_trunc('milliseconds', clock_timestamp())
      from (select distinct fid from added) users
      order by fid
      on conflict (fid) do update
      set reconcile_reason = excluded.reconcile_reason, queued_at = excluded.queued_at
      where fids.backfilled_at is null
        or not exists (select from sync.selected_users selected where selected.fid = fids.fid)
    )
    select pg_notify(${selectionChannel}, '')::text from added limit 1
  `
}

/** Removes reasons. Users without a reason are not compared; when selected again, they are fetched. */
export async function removeSelectedUsers(db: Database, rows: readonly SelectedUserRow[]): Promise<void> {
  if (rows.length === 0) return
  const fids = rows.map(({ fid }) => fid)
  await db`
    with removed as materialized (
      select f.fid, f.reason, f.via
      from sync.selected_users f
      join unnest(
        ${fids}::bigint[],
        ${db.types.texts(rows.map(({ reason }) => reason))}::text[],
        ${rows.map(({ via }) => via)}::bigint[]
      ) as given (fid, reason, via) using (fid, reason, via)
      order by f.fid, f.reason, f.via
      for update of f
    ), dropped as (
      delete from sync.selected_users f
      using removed
      where f.fid = removed.fid and f.reason = removed.reason and f.via = removed.via
      returning f.fid
    )
    select pg_notify(${selectionChannel}, '')::text from dropped limit 1
  `
  await unqueueUnselected(db, db`fid = any (${fids}::bigint[])`)
}

/** Sets the configured users. Drops follow reasons of users that are no longer configured. */
export async function setConfiguredUsers(db: Database, fids: readonly number[]): Promise<void> {
  const outdated = await db<SelectedUserRow[]>`
    select fid, reason, via
    from sync.selected_users
    where (reason = 'configured' and fid <> all (${[...fids]}::bigint[]))
      or (reason = 'follow' and via <> all (${[...fids]}::bigint[]))
  `
  await removeSelectedUsers(db, outdated)
  await addSelectedUsers(
    db,
    fids.map((fid) => ({ fid, reason: 'configured', via: 0 })),
  )
  await unqueueUnselected(db, db`true`)
}

/** Deletes users from the queue that are no longer selected. The entry of channels is none: any selection has it. */
async function unqueueUnselected(db: Database, condition: PendingQuery<Row[]>): Promise<void> {
  await db`
    with removed as materialized (
      select fid from sync.fids u
      where ${condition} and fid <> ${CHANNELS_FID} and not exists (select 1 from sync.selected_users f where f.fid = u.fid)
      order by fid
      for update
    )
    delete from sync.fids u using removed where u.fid = removed.fid
  `
}
