import type { Database } from '../../../platform/db/connection.js'

// Several processes write these rows at the same time. Each statement takes them in the order of their fids, so that one
// waits for another and never both.

/** Told whenever it changes who is followed, as the change is committed. */
export const followedChannel = 'upstream_followed'

/** Why a user is followed: see `upstream.followed`. */
export type FollowReason = 'asked' | 'channel' | 'follow' | 'touch'

/** A reason to follow a user. */
export interface FollowedRow {
  readonly fid: number
  readonly reason: FollowReason
  /** Of a `follow`, who follows; 0 otherwise. */
  readonly via: number
}

/** Everybody who is followed, and why. */
export async function readFollowed(db: Database): Promise<FollowedRow[]> {
  return await db<FollowedRow[]>`select fid, reason, via from upstream.followed`
}

/** Adds reasons; whoever had none before is to be fetched. */
export async function addFollowed(db: Database, rows: readonly FollowedRow[]): Promise<void> {
  if (rows.length === 0) return
  await db`
    with added as (
      insert into upstream.followed (fid, reason, via)
      select distinct fid, reason, via
      from unnest(
        ${rows.map(({ fid }) => fid)}::bigint[],
        ${db.types.texts(rows.map(({ reason }) => reason))}::text[],
        ${rows.map(({ via }) => via)}::bigint[]
      ) as given (fid, reason, via)
      order by fid, reason, via
      on conflict do nothing
      returning fid
    ), wanted as (
      insert into upstream.fids (fid, suspect, suspected_at)
      select distinct fid, 'newly followed', date_trunc('milliseconds', clock_timestamp()) from added
      order by fid
      on conflict (fid) do update
      set suspect = excluded.suspect, suspected_at = excluded.suspected_at
      where fids.backfilled_at is null
    )
    select pg_notify(${followedChannel}, '')::text from added limit 1
  `
}

/** Takes reasons away. Who has none left is not compared any more, and fetched whole when followed again. */
export async function dropFollowed(db: Database, rows: readonly FollowedRow[]): Promise<void> {
  if (rows.length === 0) return
  const fids = rows.map(({ fid }) => fid)
  await db`
    with gone as materialized (
      select f.fid, f.reason, f.via
      from upstream.followed f
      join unnest(
        ${fids}::bigint[],
        ${db.types.texts(rows.map(({ reason }) => reason))}::text[],
        ${rows.map(({ via }) => via)}::bigint[]
      ) as given (fid, reason, via) using (fid, reason, via)
      order by f.fid, f.reason, f.via
      for update of f
    ), dropped as (
      delete from upstream.followed f
      using gone
      where f.fid = gone.fid and f.reason = gone.reason and f.via = gone.via
      returning f.fid
    )
    select pg_notify(${followedChannel}, '')::text from dropped limit 1
  `
  await db`
    with gone as materialized (
      select fid from upstream.fids u
      where fid = any (${fids}::bigint[])
        and not exists (select 1 from upstream.followed f where f.fid = u.fid)
      order by fid
      for update
    )
    delete from upstream.fids u using gone where u.fid = gone.fid
  `
}

/** Makes those who are asked for by the configuration exactly these. Whom the others follow is followed no longer. */
export async function setAsked(db: Database, fids: readonly number[]): Promise<void> {
  const outdated = await db<FollowedRow[]>`
    select fid, reason, via
    from upstream.followed
    where (reason = 'asked' and fid <> all (${[...fids]}::bigint[]))
      or (reason = 'follow' and via <> all (${[...fids]}::bigint[]))
  `
  await dropFollowed(db, outdated)
  await addFollowed(
    db,
    fids.map((fid) => ({ fid, reason: 'asked', via: 0 })),
  )
  await db`
    with gone as materialized (
      select fid from upstream.fids u
      where not exists (select 1 from upstream.followed f where f.fid = u.fid)
      order by fid
      for update
    )
    delete from upstream.fids u using gone where u.fid = gone.fid
  `
}
