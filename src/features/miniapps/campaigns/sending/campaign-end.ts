import { notifyChangedLanes } from '../../../../outbox/outbox-queue.js'
import type { Database, Queryable } from '../../../../platform/db/connection.js'
import { PlazaError } from '../../../../platform/errors.js'
import { campaignChannel, campaignEndChannel } from '../campaign-client.js'

/**
 * Hosts of a canceled campaign that the senders are told of by name: a few notifications. Of a campaign whose clients have a host
 * for each user they give back all that they have not sent, at most a thousand batches of a process.
 */
const MAX_NAMED_HOSTS = 1_000

/**
 * Cancels the unsent part of a campaign, and tells the senders. Running requests finish and are counted; a completed campaign
 * stays as it is.
 *
 * @param campaignId A UUID.
 * @throws PlazaError 404 for an unknown campaign, 409 for one that has ended.
 */
export async function cancelCampaign(db: Database, appId: string, campaignId: string): Promise<void> {
  const property = 'campaign_id'
  const [found] = await db<{ isCanceled: boolean }[]>`
    with canceled as (
      update miniapps.campaigns
      set state = 'canceled', completed_at = now(), audience = '{}'
      where id = ${campaignId} and app_id = ${appId} and state in ('queued', 'running')
      returning id
    )
    select exists (select from canceled) as "isCanceled"
    from miniapps.campaigns
    where id = ${campaignId} and app_id = ${appId}`
  if (!found) throw new PlazaError('not_found', 'there is no campaign with this campaign_id', { property })
  if (!found.isCanceled) throw new PlazaError('conflict', 'the campaign has ended', { property })
  // Also of batches that a claim has locked: the removal leaves them out.
  const hosts = await db<{ host: string }[]>`
    select distinct host from miniapps.batches
    where campaign_id = ${campaignId} and state <> 'ended' limit ${MAX_NAMED_HOSTS + 1}`
  const named = hosts.length > MAX_NAMED_HOSTS ? [] : hosts.map(({ host }) => host)
  if (hosts.length > 0) await notifyChangedLanes(db, campaignChannel, named)
  await removeCanceledBatches(db)
}

/**
 * Removes queued batches of canceled campaigns and counts them: as canceled when no sender had claimed them, as failed
 * when their sender died. Separate from the cancellation, so that it never waits for locks of batches. If the process
 * dies in between, the next poll of the queue repeats it.
 */
export async function removeCanceledBatches(db: Database): Promise<void> {
  await db`
    with waiting as materialized (
      select
        b.id, b.campaign_id, b.client_fid, cardinality(b.fids) as tokens,
        case when b.claimed_at is null then 'canceled' else 'failed' end as outcome
      from miniapps.campaigns c
      join miniapps.batches b on b.campaign_id = c.id
      where c.state = 'canceled' and c.open_batches > 0 and b.state = 'waiting'
      for update of b skip locked
    ),
    cleared as (
      update miniapps.batches b
      set
        state = 'ended', ended_at = now(), fids = '{}',
        retryable_fids = case when waiting.outcome = 'failed' then b.retryable_fids || b.fids else b.retryable_fids end,
        unreached_fids = case when waiting.outcome = 'failed' then b.unreached_fids else b.unreached_fids || b.fids end
      from waiting
      where b.id = waiting.id
    ),
    ${countTokens(db, db`select campaign_id, client_fid, outcome, 0, tokens from waiting`)},
    ${endBatches(db, db`select campaign_id from waiting`)}
    ${notifyEnds(db)}`
}

/**
 * SQL for `with`: adds to the counts of campaigns.
 *
 * @param rows Selects `campaign_id, client_fid, outcome, http_status, tokens`.
 */
export function countTokens(db: Queryable, rows: ReturnType<Queryable>) {
  return db`
    counted as (
      insert into miniapps.campaign_counts as c (campaign_id, client_fid, outcome, http_status, tokens)
      select campaign_id, client_fid, outcome, http_status, sum(tokens)
      from (${rows}) as came (campaign_id, client_fid, outcome, http_status, tokens)
      group by campaign_id, client_fid, outcome, http_status
      order by campaign_id, client_fid, outcome, http_status
      on conflict (campaign_id, client_fid, outcome, http_status) do update set tokens = c.tokens + excluded.tokens
    )`
}

/**
 * SQL for `with`: counts batches that have ended; the last one completes its campaign. `ended_campaigns` have no open
 * batch any more: a statement that ends batches runs `notifyEnds`.
 *
 * @param rows Selects the `campaign_id` of each batch.
 */
export function endBatches(db: Queryable, rows: ReturnType<Queryable>) {
  return db`
    changed_campaigns as (
      update miniapps.campaigns c
      set
        open_batches = c.open_batches - came.batches,
        state = case when c.state = 'running' and c.open_batches = came.batches then 'completed' else c.state end,
        completed_at = case
          when c.state = 'running' and c.open_batches = came.batches then now()
          else c.completed_at
        end,
        -- Campaigns that a process of the version before has selected keep theirs.
        audience = '{}'
      from (select campaign_id, count(*)::integer as batches from (${rows}) as each group by campaign_id) came
      where c.id = came.campaign_id
      returning c.id, c.open_batches
    ),
    ended_campaigns as (select id from changed_campaigns where open_batches = 0)`
}

/** SQL: tells `Campaigns.waitForEnd` of the `ended_campaigns` when the transaction commits. */
export function notifyEnds(db: Queryable) {
  return db`select pg_notify(${campaignEndChannel}, id::text)::text from ended_campaigns`
}
