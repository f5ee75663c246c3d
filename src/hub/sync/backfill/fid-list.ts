import type { Fragment } from '#postgres'
import type { Database } from '../../../platform/db/connection.js'
import { FidsResponse } from '../../../protocol/proto/generated/request_response.js'
import { CHANNELS_FID } from '../../../protocol/shard.js'
import { readHasChannels } from '../../network.js'
import { readList } from '../account/paged-calls.js'
import { readShards, type Upstreams } from '../client/upstreams.js'

const PAGE_FIDS = 10_000
/** Users claimed in one statement. */
const CLAIM_FIDS = 500

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
      if (signal.aborted) break
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
  await db`
    update sync.fids set backfilled_at = null where backfilled_at is not null and ${isChosen(db, fids)}
  `
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

/**
 * Yields queued users by fid, and after them those whom the upstream could not list before: a few in a row end a run. Clears their
 * reconcile reason first, as a later refusal sets it again.
 */
export async function* claimFidsToFetch(
  db: Database,
  signal: AbortSignal,
  chosen: ChosenFids = null,
): AsyncGenerator<number> {
  const rows = await db<{ fid: number }[]>`
    select fid from sync.fids
    where backfilled_at is null and reconcile_reason = ${NOT_FETCHED} and ${isChosen(db, chosen)}
  `
  const failed = db`${rows.map(({ fid }) => fid)}::bigint[]`
  yield* claimFids(db, signal, db`${isChosen(db, chosen)} and fid <> all (${failed})`)
  yield* claimFids(db, signal, db`fid = any (${failed})`)
}

async function* claimFids(db: Database, signal: AbortSignal, filter: Fragment): AsyncGenerator<number> {
  let after = -1
  while (!signal.aborted) {
    const rows = await db<{ fid: number }[]>`
      with claimed as materialized (
        select fid from sync.fids
        where backfilled_at is null and fid > ${after} and ${filter}
        order by fid
        limit ${CLAIM_FIDS}
        for update
      )
      update sync.fids u set reconcile_reason = null from claimed where u.fid = claimed.fid returning u.fid
    `
    const fids = rows.map(({ fid }) => fid).sort((a, b) => a - b)
    if (fids.length === 0) return
    for (const fid of fids) {
      if (signal.aborted) return
      yield fid
    }
    after = fids.at(-1)!
  }
}

/** Marks users as fetched. */
export async function markFetched(db: Database, fids: readonly number[]): Promise<void> {
  if (fids.length === 0) return
  await db`
    with fetched as materialized (
      select fid from sync.fids where fid = any (${[...fids]}::bigint[]) order by fid for update
    )
    update sync.fids u
    set backfilled_at = now(), compared_at = now()
    from fetched
    where u.fid = fetched.fid
  `
}
