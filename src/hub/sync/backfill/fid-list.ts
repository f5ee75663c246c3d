import type { Fragment } from '#postgres'
import type { Database } from '../../../platform/db/connection.js'
import { FidsResponse } from '../../../protocol/proto/generated/request_response.js'
import { CHANNELS_FID } from '../../../protocol/shard.js'
import { readHasChannels } from '../../network.js'
import { readList } from '../account/paged-calls.js'
import { readShards, type Upstreams } from '../client/upstreams.js'
import { inFidRanges, MAX_RANGE_FIDS } from '../fid-ranges.js'

const PAGE_FIDS = 10_000
/** Users read in one statement. */
const READ_FIDS = 500

/** Queues every user of the upstream, and returns their number. @throws UpstreamFailure */
export async function listFids(db: Database, upstreams: Upstreams, signal: AbortSignal): Promise<number> {
  await enqueueChannels(db)
  const shards = await upstreams.request((client) => readShards(client, signal), signal)
  let listed = 0
  for (const shardId of shards) {
    const options = { pageSize: PAGE_FIDS, decode: readFidsPage, signal }
    for await (const fids of readList(upstreams, 'getFids', { shardId }, options)) {
      await enqueueFids(db, fids)
      listed += fids.length
      if (signal.aborted) return listed
    }
  }
  return listed
}

function readFidsPage(bytes: Buffer) {
  const { fids, nextPageToken } = FidsResponse.decode(bytes)
  return { entries: fids, nextPageToken: nextPageToken?.length ? nextPageToken : undefined }
}

/** Queues the events of channels, as fid 0, where the network has them. */
export async function enqueueChannels(db: Database): Promise<void> {
  if (await readHasChannels(db)) await enqueueFids(db, [CHANNELS_FID])
}

/** Queues users that are not in the list. */
export async function enqueueFids(db: Database, fids: readonly number[]): Promise<void> {
  await db`
    insert into sync.fids (fid)
    select distinct fid from unnest(${[...fids]}::bigint[]) as fid
    order by fid
    on conflict (fid) do nothing
  `
}

/** Users of the list that a run is about; null for all. */
export type ChosenFids = readonly number[] | null

const isChosen = (db: Database, fids: ChosenFids) =>
  fids === null ? db`true` : db`fid = any (${[...fids]}::bigint[])`

/** Queues fetched users again. */
export async function resetFetched(db: Database, fids: ChosenFids = null): Promise<void> {
  await queueFetched(db, isChosen(db, fids))
}

/**
 * Queues users of the list who were put there because the hub knows them (`addUnlistedFids`) and were never compared since: of a user of
 * a chain's registries, or one that a part of the network had before, nothing or a part may be here. Of a subset, and without
 * chosen users, only those who are selected.
 */
export async function queueUncompared(
  db: Database,
  { fids, isSubset }: { readonly fids: ChosenFids; readonly isSubset: boolean },
): Promise<void> {
  const isSynced =
    isSubset && fids === null ? db`fid in (select s.fid from sync.selected_users s)` : isChosen(db, fids)
  await queueFetched(db, db`compared_at is null and ${isSynced}`)
}

/** Queues fetched users again. Locks them in the order of fids, as a server that syncs meanwhile. */
async function queueFetched(db: Database, condition: Fragment): Promise<void> {
  await inFidRanges(
    (after) => db<{ last: number | null }[]>`
      with fetched as materialized (
        select fid from sync.fids
        where fid > ${after} and backfilled_at is not null and ${condition}
        order by fid
        limit ${MAX_RANGE_FIDS}
        for update
      ), reset as (
        update sync.fids u set backfilled_at = null from fetched where u.fid = fetched.fid
      )
      select max(fid) as last from fetched`,
  )
}

/** Counts queued and fetched users. The entry of channels is none. */
export async function countFids(
  db: Database,
  fids: ChosenFids = null,
): Promise<{ readonly remaining: number; readonly fetched: number }> {
  const [row] = await db<{ remaining: number; fetched: number }[]>`
    select
      count(*) filter (where backfilled_at is null)::integer as remaining,
      count(*) filter (where backfilled_at is not null)::integer as fetched
    from sync.fids
    where fid <> ${CHANNELS_FID} and ${isChosen(db, fids)}
  `
  return row!
}

/** Reason to compare a user whom the upstream could not list. */
export const NOT_FETCHED = 'not fetched'

/** A user to fetch. */
export interface UserToFetch {
  readonly fid: number
  /** The time at which the user was last queued for reconciliation, as PostgreSQL writes it; null if never. */
  readonly queuedAt: string | null
}

/**
 * Yields queued users by fid, and after them those whom the upstream could not list before: a few in a row end a run. They keep
 * their reconcile reason until they are fetched, since a run may end before.
 */
export async function* readUsersToFetch(
  db: Database,
  signal: AbortSignal,
  chosen: ChosenFids = null,
): AsyncGenerator<UserToFetch> {
  const rows = await db<{ fid: number }[]>`
    select fid from sync.fids
    where backfilled_at is null and reconcile_reason = ${NOT_FETCHED} and ${isChosen(db, chosen)}
  `
  const failed = db`${rows.map(({ fid }) => fid)}::bigint[]`
  yield* readUnfetched(db, signal, db`${isChosen(db, chosen)} and fid <> all (${failed})`)
  yield* readUnfetched(db, signal, db`fid = any (${failed})`)
}

async function* readUnfetched(
  db: Database,
  signal: AbortSignal,
  filter: Fragment,
): AsyncGenerator<UserToFetch> {
  let after = -1
  while (!signal.aborted) {
    const users = await db<UserToFetch[]>`
      select fid, queued_at::text as "queuedAt"
      from sync.fids
      where backfilled_at is null and fid > ${after} and ${filter}
      order by fid
      limit ${READ_FIDS}
    `
    if (users.length === 0) return
    for (const user of users) {
      if (signal.aborted) return
      yield user
    }
    after = users.at(-1)!.fid
  }
}

/** Marks users as fetched and clears the reason, unless one was queued again meanwhile. */
export async function markFetched(db: Database, users: readonly UserToFetch[]): Promise<void> {
  if (users.length === 0) return
  await db`
    with fetched as materialized (
      select f.fid, given.queued_at
      from sync.fids f
      join unnest(
        ${users.map(({ fid }) => fid)}::bigint[],
        ${db.types.texts(users.map(({ queuedAt }) => queuedAt))}::text[]::timestamptz[]
      ) as given (fid, queued_at) using (fid)
      order by f.fid
      for update of f
    )
    update sync.fids u
    set
      backfilled_at = now(),
      compared_at = now(),
      reconcile_reason = case when u.queued_at is not distinct from fetched.queued_at then null else u.reconcile_reason end
    from fetched
    where u.fid = fetched.fid
  `
}
