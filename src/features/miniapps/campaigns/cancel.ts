import type { Database } from '../../../platform/db/connection.js'
import { PlazaError } from '../../../platform/errors.js'
import { countTokens, endBatches } from './sending/campaign-counts.js'

/**
 * Cancels what is not sent yet of a campaign. Requests that are under way are finished and counted; a campaign that has
 * ended stays as it is.
 *
 * @param campaignId A UUID.
 * @throws PlazaError 404 for a campaign that the app does not have, 409 for one that has ended.
 */
export async function cancelCampaign(db: Database, appId: string, campaignId: string): Promise<void> {
  const property = 'campaign_id'
  const [found] = await db<{ isCanceled: boolean }[]>`
    with canceled as (
      update miniapps.campaigns
      set state = 'canceled', completed_at = now()
      where id = ${campaignId} and app_id = ${appId} and state in ('queued', 'running')
      returning id
    )
    select exists (select from canceled) as "isCanceled"
    from miniapps.campaigns
    where id = ${campaignId} and app_id = ${appId}`
  if (!found) throw new PlazaError('not_found', 'there is no campaign with this campaign_id', { property })
  if (!found.isCanceled) throw new PlazaError('conflict', 'the campaign has ended', { property })
  await removeCanceledBatches(db)
}

/**
 * Takes what waits of canceled campaigns out of the line, and counts it: what has never been taken as canceled, and as
 * failed what a sender had when it died, which nobody sends again. By itself, so that a cancellation never waits for the
 * locks of batches; a process that dies in between leaves it to the next look at the queue.
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
        retryable_fids = case when waiting.outcome = 'failed' then b.retryable_fids || b.fids else b.retryable_fids end
      from waiting
      where b.id = waiting.id
    ),
    ${countTokens(db, db`select campaign_id, client_fid, outcome, 0, tokens from waiting`)},
    ${endBatches(db, db`select campaign_id from waiting`)}
    select id from ended_campaigns`
}
