import type { Database } from '../../../platform/db/connection.js'
import { runInBatches } from '../../../platform/db/run-in-batches.js'
import { UNNAMED_CLIENT } from '../tokens/token-holder.js'

/** An opened notification, as the mini app reports it. */
export interface CampaignOpen {
  readonly campaignId: string
  readonly fid: number
  /** The client app that opened the mini app. */
  readonly clientFid: number
}

/** Opens of one user that count: nothing proves who reports them. */
const MAX_OPENS_PER_USER = 100

/**
 * Counts an open, if the campaign has notified the user at this client. That is known for two days
 * (docs/compatibility.md §20.7); later reports change nothing.
 */
export async function countOpen(db: Database, { campaignId, fid, clientFid }: CampaignOpen): Promise<void> {
  await db`
    with recipient as (
      select b.campaign_id, b.client_fid
      from miniapps.batches b
      where b.campaign_id = ${campaignId} and b.client_fid in (${clientFid}::bigint, ${UNNAMED_CLIENT}::bigint)
        and b.state <> 'waiting' and ${fid}::bigint = any (b.fids)
        -- They are in order: most of the ten thousand batches of a million users are passed over by their ends, in the index.
        and ${fid}::bigint between b.fids[1] and b.fids[cardinality(b.fids)]
      order by b.client_fid desc
      limit 1
    ),
    opened as (
      insert into miniapps.campaign_opens as o (campaign_id, fid, client_fid, opens)
      select campaign_id, ${fid}::bigint, client_fid, 1 from recipient
      on conflict (campaign_id, fid) do update set opens = o.opens + 1 where o.opens < ${MAX_OPENS_PER_USER}::smallint
      returning opens
    )
    insert into miniapps.campaign_open_counts as n (campaign_id, client_fid, opens, users)
    -- The user counts for the client of the first open, each open for its own.
    select r.campaign_id, r.client_fid, 1, (o.opens = 1)::integer from recipient r cross join opened o
    on conflict (campaign_id, client_fid) do update
    set opens = n.opens + excluded.opens, users = n.users + excluded.users`
}

const SOURCE = 'neynar'

/**
 * Adds the parameters to a target URL by which published clients report an open, and leaves its query as it is written: the
 * mini app may compare it. A URL with parameters of its own by these names stays as it is.
 */
export function withOpenParameters(targetUrl: string, campaignId: string): string {
  const url = new URL(targetUrl)
  if (url.searchParams.has('utm_source') || url.searchParams.has('utm_campaign')) return targetUrl
  url.search = `${url.search === '' ? '?' : `${url.search}&`}utm_source=${SOURCE}&utm_campaign=${campaignId}`
  return url.href
}

/** Rows deleted per statement, to keep statements short. */
const BATCH = 1_000
/** Batches are kept for two days after they end: until then a repeated report must find the first. */
const RETENTION_DAYS = 5

/** Deletes the opens of users whom no batch names any more. Their counts stay. */
export async function deleteExpiredOpens(db: Database): Promise<void> {
  await runInBatches(
    BATCH,
    () => db`
      delete from miniapps.campaign_opens
      where (campaign_id, fid) in (
        select campaign_id, fid from miniapps.campaign_opens
        where opened_at < now() - ${RETENTION_DAYS} * interval '1 day'
        order by opened_at
        limit ${BATCH}
      )`,
  )
}
