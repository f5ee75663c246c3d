import { FidsResponse } from '@farcaster/core'
import type { Database } from '../../db/connection.js'
import { readShards, type Upstreams } from '../client/upstreams.js'

const PAGE_FIDS = 10_000
/** How many users are taken from the list at once. */
const CLAIM_FIDS = 500

/**
 * Writes down every user of the upstream, to be fetched.
 *
 * @returns how many there are.
 * @throws UpstreamFailure
 */
export async function listFids(db: Database, upstreams: Upstreams, signal: AbortSignal): Promise<number> {
  const shards = await upstreams.ask((client) => readShards(client, signal), signal)
  let listed = 0
  for (const shardId of shards) {
    let pageToken: Uint8Array | undefined
    do {
      const request = { shardId, pageSize: PAGE_FIDS, pageToken }
      const bytes = await upstreams.ask((client) => client.call('getFids', request, signal), signal)
      const { fids, nextPageToken } = FidsResponse.decode(bytes)
      await wantFids(db, fids)
      listed += fids.length
      pageToken = fids.length > 0 && nextPageToken?.length ? nextPageToken : undefined
    } while (pageToken !== undefined && !signal.aborted)
  }
  return listed
}

/** Writes down users to be fetched, unless they were. */
export async function wantFids(db: Database, fids: readonly number[]): Promise<void> {
  await db`
    insert into upstream.fids (fid)
    select distinct unnest(${[...fids]}::bigint[])
    on conflict (fid) do nothing
  `
}

/** Has everybody fetched again who was fetched before. */
export async function forgetFetched(db: Database): Promise<void> {
  await db`update upstream.fids set backfilled_at = null where backfilled_at is not null`
}

/** How many users are still to be fetched, and how many were. */
export async function countFids(
  db: Database,
): Promise<{ readonly wanted: number; readonly fetched: number }> {
  const [row] = await db<{ wanted: number; fetched: number }[]>`
    select
      count(*) filter (where backfilled_at is null)::integer as wanted,
      count(*) filter (where backfilled_at is not null)::integer as fetched
    from upstream.fids
  `
  return row!
}

/**
 * The users that are to be fetched, in the order of their fids. What was suspected of them is forgotten as they are
 * handed out: what is refused from then on is suspected anew, since the fetching may have passed it already.
 */
export async function* wantedFids(db: Database, signal: AbortSignal): AsyncGenerator<number> {
  let after = 0
  while (!signal.aborted) {
    const rows = await db<{ fid: number }[]>`
      update upstream.fids
      set suspect = null
      where fid in (
        select fid from upstream.fids where backfilled_at is null and fid > ${after} order by fid limit ${CLAIM_FIDS}
      )
      returning fid
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

/** Writes down that everything of these users is merged. */
export async function markFetched(db: Database, fids: readonly number[]): Promise<void> {
  if (fids.length === 0) return
  await db`
    update upstream.fids
    set backfilled_at = now(), compared_at = now()
    where fid = any (${[...fids]}::bigint[])
  `
}
