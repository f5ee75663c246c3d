import type { Fragment } from '#postgres'
import { distanceKmFrom } from '../../../../graph/query/users-nearby.js'
import type { Queryable, Transaction } from '../../../../platform/db/connection.js'
import { setPlanMode } from '../../../../platform/db/plan-mode.js'
import { cellsWithin } from '../../../../platform/geo/cells.js'
import { TOKENS_PER_BATCH } from '../campaign-client.js'
import { lockUuid } from '../selection-gates.js'

/** A circle on the earth. */
export interface Circle {
  /** Degrees. */
  readonly latitude: number
  readonly longitude: number
  readonly radiusMeters: number
}

/** The audience of a notification: all given conditions must hold (docs/compatibility.md §20.2). */
export interface AudienceFilter {
  /** Empty for everyone with notifications of the mini app enabled. */
  readonly targetFids: readonly number[]
  readonly excludeFids: readonly number[]
  /** A user that they must follow. */
  readonly followingFid: number | null
  /** From 0 to 1. Users without a score have 0, as in the API. */
  readonly minimumScore: number | null
  readonly near: Circle | null
}

const METERS_PER_KM = 1_000

/**
 * SQL for the tokens of an audience, as rows of `miniapps.tokens t`. A single statement: unused filters cost nothing,
 * each other filter is a join on a key or an index. Named users keep their ended tokens, so that the caller learns that
 * those were not tried.
 */
export function audienceTokens(db: Queryable, appId: string, filter: AudienceFilter) {
  const { targetFids, near } = filter
  const conditions = [
    targetFids.length === 0 ? db`t.state = 'enabled'` : isTarget(db, targetFids),
    ...filterConditions(db, filter).map(({ condition }) => condition),
  ]
  return db`
    select t.fid, t.client_fid, t.url, t.state
    from miniapps.tokens t
    ${near || leastScore(filter) > 0 ? db`join social.users u on u.fid = t.fid` : db``}
    ${near ? db`join ${cellsInCircle(db, near)} on cell.id = u.geo_cell` : db``}
    where t.app_id = ${appId} ${conditions.map((condition) => db`and ${condition}`)}`
}

/** SQL condition: the user of `miniapps.tokens t` is among the named users. */
export function isTarget(db: Queryable, fids: readonly number[]) {
  return db`t.fid = any (${[...fids]}::bigint[])`
}

/**
 * SQL conditions of a filter for `miniapps.tokens t` and its user `social.users u`, each with the reason why a token that
 * does not meet it is left out. A user without a score or a location has null there. Scores are float4.
 */
export function filterConditions(
  db: Queryable,
  filter: AudienceFilter,
): { readonly reason: string; readonly condition: Fragment }[] {
  const { excludeFids, followingFid, near } = filter
  const found: { reason: string; condition: Fragment }[] = []
  if (excludeFids.length > 0) {
    const excluded = db`unnest(${[...excludeFids]}::bigint[]) as excluded (fid)`
    const condition = db`not exists (select from ${excluded} where excluded.fid = t.fid)`
    found.push({ reason: 'excluded', condition })
  }
  if (followingFid !== null) {
    const follows = db`social.follows f where f.fid = t.fid and f.target_fid = ${followingFid}::bigint`
    found.push({ reason: 'not_following', condition: db`exists (select from ${follows})` })
  }
  const score = leastScore(filter)
  if (score > 0) found.push({ reason: 'low_score', condition: db`u.score >= ${score}::real` })
  if (near) {
    const distance = distanceKmFrom(db, near.latitude, near.longitude)
    const radius = near.radiusMeters / METERS_PER_KM
    const condition = db`(u.geo_cell is not null and ${distance} <= ${radius}::float8)`
    found.push({ reason: 'not_near', condition })
  }
  return found
}

/** The minimum score as a float4; 0 for everyone. PostgreSQL refuses a number that only as a float4 is 0, such as 1e-50. */
function leastScore({ minimumScore }: AudienceFilter): number {
  return Math.fround(minimumScore ?? 0)
}

/**
 * SQL for the cells that may contain users in the circle. Used in a join: an index lookup for few cells and a hash join
 * for many. A list in a condition would be scanned for every user.
 */
function cellsInCircle(db: Queryable, { latitude, longitude, radiusMeters }: Circle) {
  const cells = cellsWithin(latitude, longitude, radiusMeters / METERS_PER_KM)
  return db`unnest(${cells}::integer[]) as cell (id)`
}

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
export const IDEMPOTENCY_HOURS = 24

/**
 * Selects a campaign's audience and queues it as batches, each for one client URL. Users reached or queued under the
 * same uuid within 24 hours are left out. The campaign then runs, and its filter, of up to a megabyte, is no longer stored; with
 * an empty audience it is completed. Campaigns with one uuid are selected one after another, so that each sees the earlier ones.
 */
export async function selectAudience(db: Transaction, campaign: QueuedCampaign): Promise<SelectedAudience> {
  const { appId, uuid } = campaign
  if (uuid !== null) await lockUuid(db, appId, uuid)
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
      audience = '{}',
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

/**
 * Forces PostgreSQL to plan a transaction's statements for their actual parameters. A generic plan assumes lists of
 * ten. With 10,000 excluded fids and the cells of half the earth, an audience of 100,000 users took 15 s instead of 0.2
 * s.
 */
export async function forceCustomPlan(db: Transaction): Promise<void> {
  await setPlanMode(db, 'custom')
}
