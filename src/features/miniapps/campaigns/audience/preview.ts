import type { Database, Queryable } from '../../../../platform/db/connection.js'
import type { CampaignSettings } from '../settings.js'
import { type AudienceFilter, followsTarget, hasScore, isExcluded, isNear, isTarget } from './audience.js'
import { usersAlreadyNotified } from './audience-selection.js'
import { forceCustomPlan } from './custom-plan.js'

/** Who would receive a notification if it were sent now. */
export interface AudiencePreview {
  readonly tokens: number
  readonly users: number
  readonly clients: readonly { readonly clientFid: number; readonly tokens: number }[]
  /** Excluded tokens by their first reason; users for the reason `no_token`. */
  readonly excluded: readonly { readonly reason: string; readonly tokens: number }[]
}

/** The audience to preview. */
export interface PreviewRequest {
  readonly appId: string
  /** The idempotency key. */
  readonly uuid: string | null
  readonly audience: AudienceFilter
}

interface GroupRow {
  readonly reason: string | null
  readonly clientFid: number | null
  readonly tokens: number
  readonly users: number
}

/** Classifies every token of an app, or of the named users, by what a broadcast would do. */
export async function previewAudience(
  db: Database,
  settings: Pick<CampaignSettings, 'intervalSeconds' | 'perDay'>,
  { appId, uuid, audience }: PreviewRequest,
): Promise<AudiencePreview> {
  const rows = await db.begin(async (transaction) => {
    await forceCustomPlan(transaction)
    return await groupTokens(transaction, settings, { appId, uuid, audience })
  })
  const clients = rows.flatMap(({ clientFid, tokens }) => (clientFid === null ? [] : [{ clientFid, tokens }]))
  return {
    tokens: clients.reduce((sum, { tokens }) => sum + tokens, 0),
    users: rows.reduce((sum, { users }) => sum + users, 0),
    clients,
    excluded: rows.flatMap(({ reason, tokens }) => (reason === null ? [] : [{ reason, tokens }])),
  }
}

/** Groups tokens: sent ones by client, excluded ones by reason. */
function groupTokens(
  db: Queryable,
  settings: Pick<CampaignSettings, 'intervalSeconds' | 'perDay'>,
  { appId, uuid, audience }: PreviewRequest,
) {
  const { targetFids } = audience
  const targetCondition = targetFids.length === 0 ? db`` : db`and ${isTarget(db, targetFids)}`
  return db<GroupRow[]>`
    with notified as materialized (${usersAlreadyNotified(db, { id: null, appId, uuid })}),
    judged as (
      select t.fid, t.client_fid, ${exclusionReason(db, settings, audience)} as reason
      from miniapps.tokens t
      left join social.users u on u.fid = t.fid
      left join notified on notified.fid = t.fid and notified.client_fid = t.client_fid
      left join miniapps.rate_windows p on p.app_id = t.app_id and p.fid = t.fid and p.client_fid = t.client_fid
      where t.app_id = ${appId} ${targetCondition}
    )
    select
      reason, case when reason is null then client_fid end as "clientFid", count(*)::integer as tokens,
      0 as users
    from judged
    group by 1, 2
    union all
    select 'no_token', null, count(distinct named.fid)::integer, 0
    from unnest(${[...targetFids]}::bigint[]) as named (fid)
    where not exists (select from miniapps.tokens t where t.app_id = ${appId} and t.fid = named.fid)
    having count(*) > 0
    union all
    select null, null, 0, count(distinct fid)::integer from judged where reason is null
    order by reason, "clientFid"`
}

/** SQL for the reason that excludes a token; null when it would be sent. */
function exclusionReason(
  db: Queryable,
  { intervalSeconds, perDay }: Pick<CampaignSettings, 'intervalSeconds' | 'perDay'>,
  { excludeFids, followingFid, minimumScore, near }: AudienceFilter,
) {
  const emptySql = db``
  return db`
    case
      when t.state <> 'enabled' then t.state
      ${excludeFids.length === 0 ? emptySql : db`when ${isExcluded(db, excludeFids)} then 'excluded'`}
      ${
        followingFid === null
          ? emptySql
          : db`when not exists (
              select from social.follows f where f.fid = t.fid and ${followsTarget(db, followingFid)}
            ) then 'not_following'`
      }
      ${
        minimumScore === null || minimumScore === 0
          ? emptySql
          : db`when (${hasScore(db, minimumScore)}) is not true then 'low_score'`
      }
      ${near === null ? emptySql : db`when not ${isNear(db, near)} then 'not_near'`}
      when notified.fid is not null then 'repeated'
      when p.sent_at[cardinality(p.sent_at)] > now() - ${intervalSeconds} * interval '1 second'
        or (select count(*) from unnest(p.sent_at) s where s > now() - interval '1 day') >= ${perDay}
        then 'rate_limited'
    end`
}
