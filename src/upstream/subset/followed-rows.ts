import type { Database } from '../../db/connection.js'

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
      on conflict do nothing
      returning fid
    )
    insert into upstream.fids (fid, suspect, suspected_at)
    select distinct fid, 'newly followed', date_trunc('milliseconds', clock_timestamp()) from added
    on conflict (fid) do update
    set suspect = excluded.suspect, suspected_at = excluded.suspected_at
    where fids.backfilled_at is null
  `
}

/** Takes reasons away. */
export async function dropFollowed(db: Database, rows: readonly FollowedRow[]): Promise<void> {
  if (rows.length === 0) return
  await db`
    delete from upstream.followed f
    using unnest(
      ${rows.map(({ fid }) => fid)}::bigint[],
      ${db.types.texts(rows.map(({ reason }) => reason))}::text[],
      ${rows.map(({ via }) => via)}::bigint[]
    ) as gone (fid, reason, via)
    where f.fid = gone.fid and f.reason = gone.reason and f.via = gone.via
  `
}

/** Makes those who are asked for by the configuration exactly these. */
export async function setAsked(db: Database, fids: readonly number[]): Promise<void> {
  await db`
    delete from upstream.followed where reason = 'asked' and fid <> all (${[...fids]}::bigint[])
  `
  await addFollowed(
    db,
    fids.map((fid) => ({ fid, reason: 'asked', via: 0 })),
  )
}
