import type { Database } from '../../../platform/db/connection.js'
import { inFidRanges, MAX_RANGE_FIDS } from '../fid-ranges.js'

/** A user to compare. */
export interface ReconcileCandidate {
  readonly fid: number
  /** Why something may be missing; null if nothing is known. */
  readonly reconcileReason: string | null
  readonly queuedAt: Date | null
  /** Null before the first comparison. */
  readonly comparedAt: Date | null
  /** False if the user was never fetched completely. */
  readonly isFetched: boolean
}

const candidateColumns = (db: Database) => db`
  fid, reconcile_reason as "reconcileReason", queued_at as "queuedAt", compared_at as "comparedAt", backfilled_at is not null as "isFetched"
`

const PAGE_FIDS = 200

/**
 * Adds users that arrived through the sync and were never listed. They count as fetched, until a backfill lists them before they were
 * compared (`queueUncompared`). Returns the time of the database before it.
 */
export async function addUnlistedFids(db: Database): Promise<Date> {
  const [row] = await db<{ addedAt: Date }[]>`select now() as "addedAt"`
  await inFidRanges(
    (after) => db<{ last: number | null }[]>`
      with unlisted as materialized (
        select fid
        from (select fid from hub.fids union all select 0 where exists (select from hub.channels)) known
        where fid > ${after} and not exists (select from sync.fids listed where listed.fid = known.fid)
        order by fid
        limit ${MAX_RANGE_FIDS}
      ), added as (
        insert into sync.fids (fid, backfilled_at)
        select fid, now() from unlisted
        order by fid
        on conflict (fid) do nothing
      )
      select max(fid) as last from unlisted`,
  )
  return row!.addedAt
}

/** Returns queued users whose time has come, those that wait longest first. */
export async function readQueuedFids(db: Database, limit: number): Promise<ReconcileCandidate[]> {
  return await db<ReconcileCandidate[]>`
    select ${candidateColumns(db)}
    from sync.fids
    where reconcile_reason is not null and queued_at <= now()
    order by queued_at, fid
    limit ${limit}
  `
}

/** Returns fetched users that were compared least recently and are not queued. */
export async function readLeastRecentlyCompared(db: Database, limit: number): Promise<ReconcileCandidate[]> {
  return await db<ReconcileCandidate[]>`
    select ${candidateColumns(db)}
    from sync.fids
    where backfilled_at is not null and reconcile_reason is null
    order by compared_at nulls first, fid
    limit ${limit}
  `
}

/** Counts the users that a comparison of all goes through: besides those of the upstream fid 0, which has the channels. */
export async function countFids(db: Database): Promise<number> {
  const [row] = await db<{ count: number }[]>`select count(*)::integer as count from sync.fids`
  return row!.count
}

/** Yields all users, or the given ones, by fid. */
export async function* readFids(
  db: Database,
  { fids, signal }: { readonly fids: readonly number[] | null; readonly signal: AbortSignal },
): AsyncGenerator<ReconcileCandidate> {
  let after = -1
  while (!signal.aborted) {
    const page = await db<ReconcileCandidate[]>`
      select ${candidateColumns(db)}
      from sync.fids
      where fid > ${after} and (${fids === null} or fid = any (${[...(fids ?? [])]}::bigint[]))
      order by fid
      limit ${PAGE_FIDS}
    `
    yield* page
    if (page.length < PAGE_FIDS) return
    after = page.at(-1)!.fid
  }
}

/** Marks a user as compared and clears the reason, unless it was queued again meanwhile. */
export async function markCompared(db: Database, { fid, queuedAt }: ReconcileCandidate): Promise<void> {
  await db`
    update sync.fids
    set
      compared_at = now(),
      backfilled_at = coalesce(backfilled_at, now()),
      reconcile_reason = case when queued_at is not distinct from ${queuedAt} then null else reconcile_reason end
    where fid = ${fid}
  `
}

/**
 * Queues a user that could not be compared behind all others. It is not read again before `waitMs`, unless it was queued again
 * meanwhile.
 */
export async function queueLast(
  db: Database,
  { fid, queuedAt }: ReconcileCandidate,
  waitMs = 0,
): Promise<void> {
  await db`
    update sync.fids
    set
      reconcile_reason = coalesce(reconcile_reason, 'not compared'),
      queued_at = date_trunc('milliseconds', clock_timestamp())
        + case when queued_at is not distinct from ${queuedAt} then ${waitMs}::integer else 0 end * interval '1 millisecond'
    where fid = ${fid}
  `
}
