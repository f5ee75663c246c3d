import type { Database, Queryable } from '../../../../platform/db/connection.js'
import type { CampaignSettings } from '../settings.js'
import { countTokens, endBatches } from './campaign-counts.js'

/** Room for more requests to a host. */
export interface HostCapacity {
  readonly host: string
  readonly batches: number
}

/** What a sender asks for. */
export interface ClaimRequest {
  readonly sender: string
  /** Hosts that it sends to already; every other one has room for `hostRoom`. */
  readonly capacities: readonly HostCapacity[]
  readonly defaultCapacity: number
  /** Looks at hosts behind this one, some at a time. */
  readonly afterHost: string
  readonly settings: Pick<CampaignSettings, 'intervalSeconds' | 'perDay'>
}

/** A request to be made. Tokens and fids stand in the same order. */
export interface ClaimedRequest {
  readonly batchId: number
  readonly host: string
  readonly url: string
  readonly tokens: readonly string[]
  readonly fids: readonly number[]
  /** What the client knows doubles by. */
  readonly notificationId: string
  readonly title: string
  readonly body: string
  readonly targetUrl: string
}

/** What was taken. */
export interface Claim {
  readonly requests: readonly ClaimedRequest[]
  /** Campaigns of which nothing is left to be done. */
  readonly endedCampaigns: readonly string[]
  /** How many batches were taken; one in which nobody may be told makes no request. */
  readonly batches: number
  /** Where to look next; null when the last host has been looked at. */
  readonly lastHost: string | null
}

/** So many hosts are looked at in one statement: a mini app whose clients have a host for each user holds up no other. */
const HOSTS_PER_CLAIM = 64

/**
 * Takes batches that wait, in one statement: those whose turn it is at each host that has room. What a token may not be
 * used for is decided here, under the locks of the batches and of the tokens' paces: who has switched notifications off
 * since the audience was selected, and who would be told more often than clients allow, is counted and not sent to.
 *
 * A batch that comes from a sender that died has had its paces; it is sent again as it was.
 */
export async function claimBatches(db: Database, request: ClaimRequest): Promise<Claim> {
  const { sender, settings } = request
  const [claim] = await db<Claim[]>`
    with recursive ${waitingHosts(db, request)},
    ${selectedBatches(db)},
    ${tokenOutcomes(db, settings)},
    claimed as (
      update miniapps.batches b
      set
        state = case when g.fids = '{}' then 'ended' else 'sending' end,
        sender = case when g.fids = '{}' then null else ${sender}::uuid end,
        fids = g.fids,
        retryable_fids = b.retryable_fids || g.held,
        claimed_at = coalesce(b.claimed_at, now()),
        ended_at = case when g.fids = '{}' then now() end
      from (
        select
          batch_id,
          coalesce(array_agg(fid order by fid) filter (where outcome is null), '{}') as fids,
          coalesce(array_agg(fid order by fid) filter (where outcome = 'rate_limited'), '{}') as held
        from judged
        group by batch_id
      ) g
      where b.id = g.batch_id
      returning b.id, b.campaign_id, b.state
    ),
    ${countTokens(db, db`select campaign_id, client_fid, outcome, 0, 1 from judged where outcome is not null`)},
    ${endBatches(db, db`select campaign_id from claimed where state = 'ended'`)}
    select
      array(select id::text from ended_campaigns) as "endedCampaigns",
      (select count(*)::integer from claimed) as batches,
      (select case when count(*) = ${HOSTS_PER_CLAIM} then max(host) end from lanes) as "lastHost",
      (
        select coalesce(json_agg(json_build_object(
          'batchId', j.batch_id, 'host', j.host, 'url', j.url, 'tokens', j.tokens, 'fids', j.fids,
          'notificationId', coalesce(c.uuid, c.id), 'title', c.title, 'body', c.body, 'targetUrl', c.target_url
        )), '[]')
        from (
          select
            batch_id, campaign_id, host, url, json_agg(token order by fid) as tokens, json_agg(fid order by fid) as fids
          from judged
          where outcome is null
          group by batch_id, campaign_id, host, url
        ) j
        join miniapps.campaigns c on c.id = j.campaign_id
      ) as requests`
  return claim!
}

/** Hosts for which something waits, each found by a step through the index, and their room. */
function waitingHosts(db: Queryable, { capacities, defaultCapacity, afterHost }: ClaimRequest) {
  return db`
    hosts as (
      (
        select host from miniapps.batches where state = 'waiting' and host > ${afterHost} order by host limit 1
      )
      union all
      select (
        select b.host from miniapps.batches b where b.state = 'waiting' and b.host > hosts.host order by b.host limit 1
      )
      from hosts
      where hosts.host is not null
    ),
    lanes as materialized (
      select h.host, coalesce(known.batches, ${defaultCapacity}) as room
      from (select host from hosts where host is not null limit ${HOSTS_PER_CLAIM}) h
      left join unnest(
        ${db.types.texts(capacities.map(({ host }) => host))}::text[],
        ${capacities.map(({ batches }) => batches)}::integer[]
      ) as known (host, batches) on known.host = h.host
    )`
}

/**
 * Batches whose turn it is. Of one app and client only those of a single campaign: of two that are sent to the same
 * user at once, neither would see the other's pace.
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

/** What becomes of each token of the batches that are taken; those without an outcome are sent to. */
function tokenOutcomes(db: Queryable, { intervalSeconds, perDay }: ClaimRequest['settings']) {
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
      set sent_at = array(select s from unnest(p.sent_at) s where s > now() - interval '1 day' order by s) || now()
      where (p.sent_at = '{}' or p.sent_at[cardinality(p.sent_at)] <= now() - ${intervalSeconds} * interval '1 second')
        and (select count(*) from unnest(p.sent_at) s where s > now() - interval '1 day') < ${perDay}
      returning app_id, fid, client_fid
    ),
    judged as materialized (
      select
        tokens.*,
        case
          when tokens.state is null or tokens.state = 'disabled' then 'disabled'
          when tokens.state = 'invalid' then 'invalid'
          when not tokens.is_again and paced.fid is null then 'rate_limited'
        end as outcome
      from tokens
      left join paced
        on paced.app_id = tokens.app_id and paced.fid = tokens.fid and paced.client_fid = tokens.client_fid
    )`
}
