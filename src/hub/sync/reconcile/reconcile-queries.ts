import type { Database } from '../../../platform/db/connection.js'

/** A user whose turn it is to be compared. */
export interface ReconcileCandidate {
  readonly fid: number
  /** Why something may be missing; null when nothing is known to be wrong. */
  readonly reconcileReason: string | null
  readonly queuedAt: Date | null
  /** False while nobody has fetched everything of the user. */
  readonly isFetched: boolean
}

const PAGE_FIDS = 200

/** Users who came while the upstream was followed were never listed: all of them came by the events. */
export async function addUnlistedFids(db: Database): Promise<void> {
  await db`
    insert into sync.fids (fid, backfilled_at)
    select fid, now() from hub.fids
    order by fid
    on conflict (fid) do nothing
  `
}

/** Users of whom something is suspected, the lowest fid first. */
export async function readQueuedFids(db: Database, limit: number): Promise<ReconcileCandidate[]> {
  return await db<ReconcileCandidate[]>`
    select fid, reconcile_reason as "reconcileReason", queued_at as "queuedAt", backfilled_at is not null as "isFetched"
    from sync.fids
    where reconcile_reason is not null
    order by fid
    limit ${limit}
  `
}

/** Those who were fetched and compared least recently. */
export async function readLeastRecentlyCompared(db: Database, limit: number): Promise<ReconcileCandidate[]> {
  return await db<ReconcileCandidate[]>`
    select fid, reconcile_reason as "reconcileReason", queued_at as "queuedAt", true as "isFetched"
    from sync.fids
    where backfilled_at is not null
    order by compared_at nulls first, fid
    limit ${limit}
  `
}

/** All users, or those that are given, by fid. */
export async function* readFids(
  db: Database,
  { fids, signal }: { readonly fids: readonly number[] | null; readonly signal: AbortSignal },
): AsyncGenerator<ReconcileCandidate> {
  let after = 0
  while (!signal.aborted) {
    const page = await db<ReconcileCandidate[]>`
      select fid, reconcile_reason as "reconcileReason", queued_at as "queuedAt", backfilled_at is not null as "isFetched"
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

/** Writes down that a user was compared, and clears what was suspected, unless something was since. */
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
