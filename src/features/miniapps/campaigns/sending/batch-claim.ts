import type { LaneClaim, LaneRequest } from '../../../../outbox/outbox-queue.js'
import type { Database, Queryable } from '../../../../platform/db/connection.js'
import { UNNAMED_CLIENT } from '../../tokens/token-holder.js'
import { hostOf } from '../../tokens/unnamed-tokens.js'
import type { RateLimits } from '../campaign-client.js'
import { countedSends, hasRoom } from '../rate-windows.js'
import { batchSenders } from './batch-senders.js'
import { countTokens, endBatches, notifyEnds } from './campaign-end.js'

/** A request to a client. Tokens and fids stand in the same order. */
export interface ClaimedRequest {
  readonly url: string
  readonly tokens: readonly string[]
  readonly fids: readonly number[]
  /** Clients drop a notification that they know by this id. */
  readonly notificationId: string
  readonly title: string
  readonly body: string
  readonly targetUrl: string
}

/** A batch that a sender has claimed: one request, or several if users have moved between URLs of the client. */
export interface ClaimedBatch {
  readonly batchId: number
  /** A sender that died had claimed it before, and may have sent it. */
  readonly isAgain: boolean
  readonly requests: readonly ClaimedRequest[]
}

/**
 * Claims waiting batches of some hosts, in one statement. Under the locks of the batches and of the rate windows it
 * decides which tokens may not be used: users who have switched notifications off since the audience was selected, and
 * users who would be notified more often than clients allow, are counted and not sent to. A batch of a sender that died
 * is in the rate windows already: it is sent again as it was.
 */
export async function claimBatches(
  db: Database,
  sender: string,
  requests: readonly LaneRequest[],
  settings: RateLimits,
): Promise<LaneClaim<ClaimedBatch>[]> {
  const rows = await db<{ host: string; hasMore: boolean; batches: readonly ClaimedBatch[] }[]>`
    with ${requestedHosts(db, sender, requests)},
    ${selectedBatches(db)},
    ${tokenOutcomes(db, settings)},
    claimed as (
      update miniapps.batches b
      set
        state = case when g.fids = '{}' then 'ended' else 'sending' end,
        sender = case when g.fids = '{}' then null else ${sender}::uuid end,
        fids = g.fids,
        retryable_fids = b.retryable_fids || g.held,
        unreached_fids = b.unreached_fids || g.refused,
        claimed_at = coalesce(b.claimed_at, now()),
        ended_at = case when g.fids = '{}' then now() end
      from (
        select
          batch_id,
          coalesce(array_agg(fid order by fid) filter (where outcome is null), '{}') as fids,
          coalesce(array_agg(fid order by fid) filter (where outcome in ('rate_limited', 'failed')), '{}') as held,
          coalesce(array_agg(fid order by fid) filter (where outcome not in ('rate_limited', 'failed')), '{}') as refused
        from judged
        group by batch_id
      ) g
      where b.id = g.batch_id
      returning b.id, b.campaign_id, b.state
    ),
    ${countTokens(db, db`select campaign_id, client_fid, outcome, 0, 1 from judged where outcome is not null`)},
    ${endBatches(db, db`select campaign_id from claimed where state = 'ended'`)},
    notified as materialized (${notifyEnds(db)}),
    requests as (
      select batch_id, is_again, campaign_id, host, url, json_agg(token order by fid) as tokens, json_agg(fid order by fid) as fids
      from judged
      where outcome is null
      group by batch_id, is_again, campaign_id, host, url
    ),
    batches as (
      select
        r.host,
        json_build_object('batchId', r.batch_id, 'isAgain', r.is_again, 'requests', json_agg(json_build_object(
          'url', r.url, 'tokens', r.tokens, 'fids', r.fids, 'notificationId', coalesce(c.uuid, c.id), 'title', c.title,
          'body', c.body, 'targetUrl', c.target_url
        ))) as batch
      from requests r
      join miniapps.campaigns c on c.id = r.campaign_id
      group by r.host, r.batch_id, r.is_again
    )
    select
      lanes.host, hosts.picked = lanes.room or hosts.picked > hosts.taken as "hasMore",
      (select coalesce(json_agg(b.batch), '[]') from batches b where b.host = lanes.host) as batches,
      (select count(*) from notified) as notified
    from (
      select p.host, count(*) as picked, count(t.id) as taken
      from picked p
      left join taken t on t.id = p.id
      group by p.host
    ) hosts
    join lanes on lanes.host = hosts.host`
  return rows.map(({ host, hasMore, batches }) => ({
    lane: host,
    items: batches,
    hasMore,
    pausedForMs: null,
  }))
}

/** The hosts that a sender has room for; none if it counts as dead. */
function requestedHosts(db: Queryable, sender: string, requests: readonly LaneRequest[]) {
  return db`
    live_sender as materialized (${batchSenders.lockedRow(db, sender)}),
    lanes as materialized (
      select host, room
      from unnest(
        ${db.types.texts(requests.map(({ lane }) => lane))}::text[],
        ${requests.map(({ capacity }) => capacity)}::integer[]
      ) as requested (host, room)
      cross join live_sender
    )`
}

/**
 * Batches whose turn it is, without those of canceled campaigns: they may not have been removed yet. Of one app and client
 * only those of a single campaign: of two that are sent to the same user at once, neither would see the other in the rate
 * windows.
 */
function selectedBatches(db: Queryable) {
  return db`
    picked as materialized (
      select b.*
      from lanes
      cross join lateral (
        select id, campaign_id, campaign_seq, app_id, client_fid, host, turn, fids, claimed_at
        from miniapps.batches waiting
        where waiting.host = lanes.host and waiting.state = 'waiting'
          and (select c.state from miniapps.campaigns c where c.id = waiting.campaign_id) <> 'canceled'
        order by waiting.turn, waiting.campaign_seq
        limit lanes.room
        for update skip locked
      ) b
    ),
    taken as (
      select *
      from (
        select
          *, first_value(campaign_id) over (partition by app_id, client_fid order by turn, campaign_seq) as first_campaign
        from picked
      ) by_client
      where campaign_id = first_campaign
    )`
}

/** The outcome of each token that is not sent to; the others have none. */
function tokenOutcomes(db: Queryable, limits: RateLimits) {
  return db`
    tokens as materialized (
      select
        b.id as batch_id, b.campaign_id, b.app_id, b.client_fid, b.host, member.fid, t.token, t.url, t.state,
        b.claimed_at is not null as is_again
      from taken b
      cross join unnest(b.fids) as member (fid)
      left join miniapps.tokens t
        on t.app_id = b.app_id and t.fid = member.fid and t.client_fid = b.client_fid
    ),
    paced as (
      insert into miniapps.rate_windows as p (app_id, fid, client_fid, sent_at)
      select app_id, fid, client_fid, array[now()]
      from tokens
      where state = 'enabled' and not is_again
      order by app_id, fid, client_fid
      on conflict (app_id, fid, client_fid) do update
      set sent_at = ${countedSends(db)} || now()
      where ${hasRoom(db, limits)}
      returning app_id, fid, client_fid
    ),
    judged as materialized (
      select
        tokens.*,
        case
          -- Its client is known since the audience was selected: who sends again reaches it there.
          when tokens.state is null and tokens.client_fid = ${UNNAMED_CLIENT}::bigint and exists (
            select from miniapps.tokens named
            where named.app_id = tokens.app_id and named.fid = tokens.fid and named.state = 'enabled'
              and ${hostOf(db, db`named.url`)} = tokens.host
          ) then 'failed'
          when tokens.state is null or tokens.state = 'disabled' then 'disabled'
          when tokens.state = 'invalid' then 'invalid'
          when not tokens.is_again and paced.fid is null then 'rate_limited'
        end as outcome
      from tokens
      left join paced
        on paced.app_id = tokens.app_id and paced.fid = tokens.fid and paced.client_fid = tokens.client_fid
    )`
}
