import type { Database } from '../../../platform/db/connection.js'

/** A user whose turn it is to be compared. */
export interface ComparedFid {
  readonly fid: number
  /** Why something may be missing; null when nothing is known to be wrong. */
  readonly suspect: string | null
  readonly suspectedAt: Date | null
  /** False while nobody has fetched everything of the user. */
  readonly isFetched: boolean
}

const PAGE_FIDS = 200

/** Users who came while the upstream was followed were never listed: all of them came by the events. */
export async function adoptFids(db: Database): Promise<void> {
  await db`
    insert into upstream.fids (fid, backfilled_at)
    select fid, now() from hub.fids
    order by fid
    on conflict (fid) do nothing
  `
}

/** Users of whom something is suspected, the lowest fid first. */
export async function suspectFids(db: Database, limit: number): Promise<ComparedFid[]> {
  return await db<ComparedFid[]>`
    select fid, suspect, suspected_at as "suspectedAt", backfilled_at is not null as "isFetched"
    from upstream.fids
    where suspect is not null
    order by fid
    limit ${limit}
  `
}

/** Those who were fetched and compared least recently. */
export async function oldestComparedFids(db: Database, limit: number): Promise<ComparedFid[]> {
  return await db<ComparedFid[]>`
    select fid, suspect, suspected_at as "suspectedAt", true as "isFetched"
    from upstream.fids
    where backfilled_at is not null
    order by compared_at nulls first, fid
    limit ${limit}
  `
}

/** All users, or those that are given, by fid. */
export async function* allFids(
  db: Database,
  { fids, signal }: { readonly fids: readonly number[] | null; readonly signal: AbortSignal },
): AsyncGenerator<ComparedFid> {
  let after = 0
  while (!signal.aborted) {
    const page = await db<ComparedFid[]>`
      select fid, suspect, suspected_at as "suspectedAt", backfilled_at is not null as "isFetched"
      from upstream.fids
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
export async function markCompared(db: Database, { fid, suspectedAt }: ComparedFid): Promise<void> {
  await db`
    update upstream.fids
    set
      compared_at = now(),
      backfilled_at = coalesce(backfilled_at, now()),
      suspect = case when suspected_at is not distinct from ${suspectedAt} then null else suspect end
    where fid = ${fid}
  `
}
