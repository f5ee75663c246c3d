import type { Queryable, Transaction } from '../../../../platform/db/connection.js'
import { TOKENS_PER_BATCH } from '../settings.js'
import { type AudienceFilter, audienceTokens } from './audience.js'
import { forceCustomPlan } from './custom-plan.js'

/** A queued campaign whose audience is not selected yet. */
export interface QueuedCampaign {
  readonly id: string
  readonly appId: string
  /** The idempotency key. */
  readonly uuid: string | null
  readonly audience: AudienceFilter
}

/** The batches of a campaign. */
export interface SelectedAudience {
  readonly batches: number
  /** The hosts of their clients; empty if they are many. */
  readonly hosts: readonly string[]
}

/** Senders are not woken for more hosts by name: their sweep finds them. */
const MAX_NAMED_HOSTS = 16
/** How long clients honor an idempotency key (docs/protocol.md §8.3). */
const IDEMPOTENCY_HOURS = 24

/**
 * Selects a campaign's audience and queues it as batches, each for one client URL.
 *
 * Users reached or queued under the same uuid within 24 hours are left out. The campaign then runs; with an
 * empty audience it is completed. Campaigns with one uuid are selected one after another, so that each sees
 * the earlier ones.
 */
export async function selectAudience(db: Transaction, campaign: QueuedCampaign): Promise<SelectedAudience> {
  const { appId, uuid } = campaign
  if (uuid !== null) {
    await db`select pg_advisory_xact_lock(hashtextextended(${`campaign ${appId} ${uuid}`}, 0))`
  }
  await forceCustomPlan(db)
  const [selected] = await db<[SelectedAudience]>`
    with audience as materialized (${audienceTokens(db, appId, campaign.audience)}),
    notified as materialized (${usersAlreadyNotified(db, campaign)}),
    judged as (
      select
        a.fid, a.client_fid, a.url,
        case
          when a.state <> 'enabled' then a.state
          when notified.fid is not null then 'repeated'
        end as reason
      from audience a
      left join notified on notified.client_fid = a.client_fid and notified.fid = a.fid
    ),
    in_turns as (
      select
        fid, client_fid, url,
        (row_number() over (partition by client_fid, url order by fid) - 1) / ${TOKENS_PER_BATCH} as turn
      from judged
      where reason is null
    ),
    made as (
      insert into miniapps.batches (campaign_id, campaign_seq, app_id, client_fid, host, turn, fids)
      select
        c.id, c.seq, c.app_id, b.client_fid, lower(substring(b.url from '://([^/?#]+)')), b.turn, b.fids
      from miniapps.campaigns c
      cross join (
        select client_fid, url, turn, array_agg(fid order by fid) as fids
        from in_turns
        group by client_fid, url, turn
      ) b
      where c.id = ${campaign.id}
      returning host
    ),
    left_out as (
      insert into miniapps.campaign_counts (campaign_id, client_fid, outcome, tokens)
      select ${campaign.id}, client_fid, reason, count(*)
      from judged
      where reason is not null
      group by client_fid, reason
    )
    update miniapps.campaigns
    set
      state = case when made.batches = 0 then 'completed' else 'running' end,
      completed_at = case when made.batches = 0 then now() end,
      open_batches = made.batches,
      audience_size = whole.tokens,
      client_fids = whole.client_fids
    from (select count(*)::integer as batches from made) made
    cross join (
      select
        count(*)::integer as tokens,
        coalesce(array_agg(distinct client_fid order by client_fid), '{}') as client_fids
      from audience
    ) whole
    where id = ${campaign.id}
    returning
      open_batches as batches,
      array(select distinct host from made limit ${MAX_NAMED_HOSTS + 1}) as hosts`
  const { batches, hosts } = selected
  return { batches, hosts: hosts.length > MAX_NAMED_HOSTS ? [] : hosts }
}

/** SQL for the users, by client, that other campaigns with the uuid reached or have queued. */
export function usersAlreadyNotified(
  db: Queryable,
  { id, appId, uuid }: Pick<QueuedCampaign, 'appId' | 'uuid'> & { readonly id: string | null },
) {
  return db`
    select distinct b.client_fid, notified.fid
    from miniapps.campaigns c
    join miniapps.batches b on b.campaign_id = c.id
    cross join unnest(b.fids) as notified (fid)
    where c.app_id = ${appId}
      and c.uuid = ${uuid}
      and c.id is distinct from ${id}::uuid
      and (b.state <> 'ended' or b.ended_at > now() - ${IDEMPOTENCY_HOURS} * interval '1 hour')`
}
