import type { Fragment } from '#postgres'
import type { Database } from '../../../platform/db/connection.js'
import { writesTo } from '../../../platform/db/fingerprint.js'
import { isoTime } from '../../../platform/db/iso-time.js'
import type { NotificationCampaign } from '../schema/miniapp.js'

/**
 * Final outcomes of a token in an audience. `counts` names the count of the campaign that it belongs to; `retryable`
 * says whether the user may be reached later.
 */
export const outcomes = {
  success: { counts: 'success', retryable: false },
  /** The client no longer knows the token. */
  invalid_token: { counts: 'failure', retryable: false },
  /** By the client, or by us in its place. */
  rate_limited: { counts: 'failure', retryable: true },
  /** The client reported a failure or sent an unreadable response. */
  failed: { counts: 'failure', retryable: true },
  /** A status other than 2xx, or no response. */
  http_error: { counts: 'failure', retryable: true },
  /** The user has disabled notifications. */
  disabled: { counts: 'not_attempted', retryable: false },
  /** The token had ended before. */
  invalid: { counts: 'not_attempted', retryable: false },
  /** Reached under the same uuid already, or queued for it. */
  repeated: { counts: 'not_attempted', retryable: false },
  /** The campaign was canceled first. */
  canceled: { counts: 'not_attempted', retryable: false },
} as const satisfies Record<string, { counts: 'success' | 'failure' | 'not_attempted'; retryable: boolean }>

export type TokenOutcome = keyof typeof outcomes

/** Outcomes after which a user may be reached later. */
export const retryableOutcomes = (Object.keys(outcomes) as TokenOutcome[]).filter(
  (outcome) => outcomes[outcome].retryable,
)

/** The result of a campaign that was sent within its request. */
export interface CampaignResult {
  readonly success: number
  readonly failure: number
  readonly notAttempted: number
  /** Users not reached at some client that may be retried, in order. */
  readonly retryableFids: readonly number[]
  /** Unfinished batches. The counts are final at 0. */
  readonly openBatches: number
}

/** Number of tokens with one outcome at one client. */
export interface TokenCount {
  readonly clientFid: number
  readonly outcome: TokenOutcome
  /** HTTP status of an error response, otherwise 0. */
  readonly httpStatus: number
  readonly tokens: number
}

/** Reads the current result of a campaign. */
export async function readResult(db: Database, campaignId: string): Promise<CampaignResult> {
  const [row] = await db<
    (Pick<CampaignResult, 'openBatches' | 'retryableFids'> & { counts: TokenCount[] })[]
  >`
    select
      c.open_batches as "openBatches",
      ${countsOf(db)} as counts,
      array(
        select distinct again.fid
        from miniapps.batches b
        cross join unnest(b.retryable_fids) as again (fid)
        where b.campaign_id = c.id
        order by again.fid
      ) as "retryableFids"
    from miniapps.campaigns c
    where c.id = ${campaignId}`
  const { openBatches, counts, retryableFids } = row!
  return { ...sumCounts(counts), openBatches, retryableFids }
}

/** SQL for the counts of `miniapps.campaigns c`, as JSON. */
function countsOf(db: Database) {
  return db`(
    select coalesce(jsonb_agg(jsonb_build_object(
      'clientFid', n.client_fid, 'outcome', n.outcome, 'httpStatus', n.http_status, 'tokens', n.tokens
    )), '[]')
    from miniapps.campaign_counts n
    where n.campaign_id = c.id
  )`
}

/** Sums token counts to the totals of the response (docs/compatibility.md §20.3). */
function sumCounts(
  counts: readonly TokenCount[],
): Pick<CampaignResult, 'success' | 'failure' | 'notAttempted'> {
  const sum = (kind: (typeof outcomes)[TokenOutcome]['counts']) =>
    counts.reduce((total, { outcome, tokens }) => total + (outcomes[outcome].counts === kind ? tokens : 0), 0)
  return { success: sum('success'), failure: sum('failure'), notAttempted: sum('not_attempted') }
}

/** A campaign as the API shows it, and its sort key. */
type ListedCampaign = NotificationCampaign & { readonly seq: number }

/** Opens at one client. */
interface OpenCount {
  readonly clientFid: number
  readonly opens: number
  readonly users: number
}

type CampaignRow = Omit<ListedCampaign, 'stats'> & {
  readonly opens: readonly OpenCount[]
  readonly audienceSize: number
  readonly clientFids: readonly number[]
  readonly counts: readonly TokenCount[]
}

/** Lists campaigns of an app with their current counts, newest first, below `beforeSeq`; or the one with this id. */
export async function listCampaigns(
  db: Database,
  appId: string,
  {
    campaignId,
    limit,
    beforeSeq,
  }: { campaignId?: string | undefined; limit: number; beforeSeq?: number | undefined },
): Promise<ListedCampaign[]> {
  const rows = await db<CampaignRow[]>`
    select
      c.id, c.seq, c.title, c.body, c.target_url, c.state as status, ${isoTime(db, db`c.created_at`)} as created_at,
      ${isoTime(db, db`coalesce(c.queued_at, c.created_at)`)} as queued_at,
      ${isoTime(db, db`c.completed_at`)} as completed_at, c.audience_size as "audienceSize",
      c.client_fids as "clientFids", ${countsOf(db)} as counts,
      (
        select coalesce(jsonb_agg(
          jsonb_build_object('clientFid', o.client_fid, 'opens', o.opens, 'users', o.users) order by o.client_fid
        ), '[]')
        from miniapps.campaign_open_counts o
        where o.campaign_id = c.id
      ) as opens
    from miniapps.campaigns c
    where c.app_id = ${appId}
      and c.seq < ${beforeSeq ?? Number.MAX_SAFE_INTEGER}::bigint
      ${campaignId === undefined ? db`` : db`and c.id = ${campaignId}`}
    order by c.seq desc
    limit ${limit}::bigint`
  return rows.map(({ audienceSize, clientFids, counts, opens, ...campaign }) => ({
    ...campaign,
    stats: { ...presentStats(audienceSize, clientFids, counts), ...presentOpens(opens) },
  }))
}

function presentStats(
  audienceSize: number,
  clientFids: readonly number[],
  counts: readonly TokenCount[],
): Omit<NotificationCampaign['stats'], keyof ReturnType<typeof presentOpens>> {
  const { success, failure, notAttempted } = sumCounts(counts)
  const sumBy = (key: 'clientFid' | 'outcome' | 'httpStatus', isCounted: (count: TokenCount) => boolean) =>
    sumTokens(counts.filter(isCounted), key)
  return {
    intended_recipient_app_fids: [...clientFids],
    intended_recipient_notification_token_count: audienceSize,
    successful_sends: success,
    successful_sends_by_app_fid: sumBy('clientFid', ({ outcome }) => outcome === 'success'),
    failure_count: failure,
    not_attempted_count: notAttempted,
    pending_count: audienceSize - success - failure - notAttempted,
    error_breakdown: {
      delivery_errors: sumBy('outcome', ({ outcome }) => outcomes[outcome].counts === 'failure'),
      http_errors: sumBy('httpStatus', ({ httpStatus }) => httpStatus > 0),
      not_attempted: sumBy('outcome', ({ outcome }) => outcomes[outcome].counts === 'not_attempted'),
    },
  }
}

function presentOpens(counts: readonly OpenCount[]) {
  const sum = (key: 'opens' | 'users') => counts.reduce((total, count) => total + count[key], 0)
  const byClient = (key: 'opens' | 'users') =>
    Object.fromEntries(counts.map((count) => [String(count.clientFid), count[key]]))
  return {
    total_opens: sum('opens'),
    total_opens_by_app_fid: byClient('opens'),
    unique_opens: sum('users'),
    unique_opens_by_app_fid: byClient('users'),
  }
}

function sumTokens(
  counts: readonly TokenCount[],
  key: 'clientFid' | 'outcome' | 'httpStatus',
): Record<string, number> {
  const sums = new Map<string, number>()
  for (const count of counts) {
    sums.set(String(count[key]), (sums.get(String(count[key])) ?? 0) + count.tokens)
  }
  return Object.fromEntries([...sums].sort(([one], [other]) => one.localeCompare(other)))
}

/** Expressions that differ when campaigns, their batches or their audiences have changed. */
export function campaignsFingerprint(db: Database): Fragment {
  return db`
    (select max(seq) from miniapps.campaigns where state = 'queued'),
    (select max(id) from miniapps.batches),
    (select max(ended_at) from miniapps.batches where state = 'ended'),
    (select max(opened_at) from miniapps.campaign_opens),
    (select max(created_at) from miniapps.tokens),
    ${writesTo(db, ['miniapps.campaigns', 'miniapps.batches', 'miniapps.tokens', 'miniapps.campaign_opens'])}`
}
