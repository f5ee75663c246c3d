import type { Database } from '../../../platform/db/connection.js'
import { type AudienceFilter, audienceTokens, IDEMPOTENCY_HOURS, isTarget } from './audience/audience.js'

/** Outcome of a notification for one user at one client. */
export interface NotificationDelivery {
  readonly fid: number
  /** The client; null for a target without a token. */
  readonly clientFid: number | null
  readonly status: 'success' | 'failed' | 'token_disabled' | 'token_not_found'
}

/** Deliveries that a reply lists at most: the targets of the largest request at ten clients. */
const MAX_DELIVERIES = 1_000

/**
 * Reads the deliveries of a campaign that has ended, by fid. A user who was not reached is listed by the state of the
 * token, and as failed where a token of today was not tried: the filter leaves it out, or it is newer than the campaign. A target
 * that was not tried because it was reached with the same idempotency key before counts as a success, unless the campaign was
 * canceled.
 */
export async function readDeliveries(
  db: Database,
  { campaignId, appId, audience }: { campaignId: string; appId: string; audience: AudienceFilter },
): Promise<NotificationDelivery[]> {
  const targets = [...new Set(audience.targetFids)]
  return await db<NotificationDelivery[]>`
    with tried as materialized (
      select b.client_fid, each.fid, each.status
      from miniapps.batches b
      cross join lateral (
        select fid, 'success' as status from unnest(b.fids) fid
        union all
        select fid, 'failed' from unnest(b.retryable_fids) fid
        union all
        select
          missed.fid,
          case t.state when 'enabled' then 'failed' when 'disabled' then 'token_disabled' else 'token_not_found' end
        from unnest(b.unreached_fids) as missed (fid)
        left join miniapps.tokens t on t.app_id = ${appId} and t.fid = missed.fid and t.client_fid = b.client_fid
      ) each
      where b.campaign_id = ${campaignId}
      order by each.fid
      limit ${MAX_DELIVERIES}
    ),
    untried as (
      select t.fid, t.client_fid, t.state
      from miniapps.tokens t
      where t.app_id = ${appId} and ${isTarget(db, targets)}
        and not exists (select from tried where tried.fid = t.fid and tried.client_fid = t.client_fid)
    ),
    reached_before as materialized (
      select distinct fid, b.client_fid
      from miniapps.campaigns c
      join miniapps.campaigns earlier on earlier.app_id = c.app_id and earlier.uuid = c.uuid and earlier.seq < c.seq
      join miniapps.batches b on b.campaign_id = earlier.id
      cross join unnest(b.fids) fid
      where c.id = ${campaignId} and c.state <> 'canceled'
        and (b.ended_at is null or b.ended_at > c.created_at - ${IDEMPOTENCY_HOURS} * interval '1 hour')
    )
    select fid, client_fid as "clientFid", status from tried
    union all
    select fid, client_fid,
      case
        when state = 'disabled' then 'token_disabled'
        when state <> 'enabled' then 'token_not_found'
        when (fid, client_fid) in (select a.fid, a.client_fid from (${audienceTokens(db, appId, audience)}) a)
          and (fid, client_fid) in (select r.fid, r.client_fid from reached_before r)
          then 'success'
        else 'failed'
      end
    from untried
    union all
    select fid, null, 'token_not_found'
    from unnest(${targets}::bigint[]) fid
    where not exists (select from miniapps.tokens t where t.app_id = ${appId} and t.fid = fid.fid)
    order by fid, "clientFid"
    limit ${MAX_DELIVERIES}
  `
}
