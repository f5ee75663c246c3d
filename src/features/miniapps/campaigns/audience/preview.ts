import type { Database, Queryable } from '../../../../platform/db/connection.js'
import type { BroadcastRequest } from '../broadcast.js'
import type { RateLimits } from '../campaign-client.js'
import { hasRoom } from '../rate-windows.js'
import {
  type AudienceFilter,
  filterConditions,
  forceCustomPlan,
  isTarget,
  usersAlreadyNotified,
} from './audience.js'

/** Recipients of a notification if it were sent now. */
export interface AudiencePreview {
  readonly tokens: number
  /** Tokens of the audience, also those that would not be tried now: `broadcast` queues by this number. */
  readonly audienceSize: number
  readonly users: number
  readonly clients: readonly { readonly clientFid: number; readonly tokens: number }[]
  /** Excluded tokens by their first reason; users for the reason `no_token`. */
  readonly excluded: readonly { readonly reason: string; readonly tokens: number }[]
}

/** Reasons that exclude tokens of the audience. */
const untriedReasons: ReadonlySet<string> = new Set(['repeated', 'rate_limited'])

/** Classifies every token of an app, or of the named users, by what a broadcast would do. */
export async function previewAudience(
  db: Database,
  settings: RateLimits,
  request: Omit<BroadcastRequest, 'notification'>,
): Promise<AudiencePreview> {
  const rows = await db.begin(async (transaction) => {
    await forceCustomPlan(transaction)
    return await groupTokens(transaction, settings, request)
  })
  const clients = rows.flatMap(({ clientFid, tokens }) => (clientFid === null ? [] : [{ clientFid, tokens }]))
  const ofAudience = rows.filter(({ reason }) => reason === null || untriedReasons.has(reason))
  return {
    tokens: clients.reduce((sum, { tokens }) => sum + tokens, 0),
    audienceSize: ofAudience.reduce((sum, { tokens }) => sum + tokens, 0),
    users: rows.reduce((sum, { users }) => sum + users, 0),
    clients,
    excluded: rows.flatMap(({ reason, tokens }) => (reason === null ? [] : [{ reason, tokens }])),
  }
}

/** Groups tokens: sent ones by client, excluded ones by reason. */
function groupTokens(
  db: Queryable,
  settings: RateLimits,
  { appId, uuid, audience }: Omit<BroadcastRequest, 'notification'>,
) {
  const { targetFids } = audience
  const targetCondition = targetFids.length === 0 ? db`` : db`and ${isTarget(db, targetFids)}`
  return db<{ reason: string | null; clientFid: number | null; tokens: number; users: number }[]>`
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
function exclusionReason(db: Queryable, limits: RateLimits, filter: AudienceFilter) {
  const unmet = filterConditions(db, filter).map(
    ({ reason, condition }) => db`when (${condition}) is not true then ${reason}`,
  )
  return db`
    case
      when t.state <> 'enabled' then t.state
      ${unmet.length === 0 ? db`` : unmet}
      when notified.fid is not null then 'repeated'
      when not ${hasRoom(db, limits)} then 'rate_limited'
    end`
}
