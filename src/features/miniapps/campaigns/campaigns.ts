import type { NotificationCampaign } from '../../../graph/view/schema/campaign.js'
import type { Database } from '../../../platform/db/connection.js'
import { outcomes } from './outcome.js'
import { countsOf, sumCounts, type TokenCount } from './results.js'

/** A page of an app's campaigns. */
export interface CampaignPage {
  /** Only this campaign (a UUID); null for all. */
  readonly campaignId: string | null
  readonly limit: number
  /** Continue below this one; null for the newest. */
  readonly beforeSeq: number | null
}

/** A campaign and its sort key. */
export interface ListedCampaign {
  readonly seq: number
  readonly view: NotificationCampaign
}

interface CampaignRow {
  readonly id: string
  readonly seq: number
  readonly title: string
  readonly body: string
  readonly state: NotificationCampaign['status']
  readonly audienceSize: number
  readonly clientFids: readonly number[]
  readonly createdAt: Date
  readonly queuedAt: Date | null
  readonly completedAt: Date | null
  readonly counts: readonly TokenCount[]
}

/** Lists campaigns of an app with their current counts, newest first. */
export async function listCampaigns(
  db: Database,
  appId: string,
  { campaignId, limit, beforeSeq }: CampaignPage,
): Promise<ListedCampaign[]> {
  const rows = await db<CampaignRow[]>`
    select
      c.id, c.seq, c.title, c.body, c.state, c.audience_size as "audienceSize", c.client_fids as "clientFids",
      c.created_at as "createdAt", c.queued_at as "queuedAt", c.completed_at as "completedAt", ${countsOf(db)} as counts
    from miniapps.campaigns c
    where c.app_id = ${appId}
      and c.seq < ${beforeSeq ?? Number.MAX_SAFE_INTEGER}::bigint
      ${campaignId === null ? db`` : db`and c.id = ${campaignId}`}
    order by c.seq desc
    limit ${limit}::bigint`
  return rows.map((row) => ({ seq: row.seq, view: presentCampaign(row) }))
}

function presentCampaign(row: CampaignRow): NotificationCampaign {
  return {
    id: row.id,
    title: row.title,
    body: row.body,
    status: row.state,
    created_at: row.createdAt.toISOString(),
    queued_at: (row.queuedAt ?? row.createdAt).toISOString(),
    completed_at: row.completedAt?.toISOString() ?? null,
    stats: presentStats(row),
  }
}

function presentStats({ audienceSize, clientFids, counts }: CampaignRow): NotificationCampaign['stats'] {
  const { success, failure, notAttempted } = sumCounts(counts)
  return {
    intended_recipient_app_fids: [...clientFids],
    intended_recipient_notification_token_count: audienceSize,
    successful_sends: success,
    successful_sends_by_app_fid: sumTokensBy(
      counts.filter(({ outcome }) => outcome === 'success'),
      ({ clientFid }) => clientFid,
    ),
    failure_count: failure,
    not_attempted_count: notAttempted,
    pending_count: audienceSize - success - failure - notAttempted,
    error_breakdown: {
      delivery_errors: sumTokensBy(
        counts.filter(({ outcome }) => outcomes[outcome].counts === 'failure'),
        ({ outcome }) => outcome,
      ),
      http_errors: sumTokensBy(
        counts.filter(({ httpStatus }) => httpStatus > 0),
        ({ httpStatus }) => httpStatus,
      ),
      not_attempted: sumTokensBy(
        counts.filter(({ outcome }) => outcomes[outcome].counts === 'not_attempted'),
        ({ outcome }) => outcome,
      ),
    },
    // Clients do not report opens: the protocol has no message for it.
    total_opens: 0,
    total_opens_by_app_fid: {},
    unique_opens: 0,
    unique_opens_by_app_fid: {},
  }
}

function sumTokensBy(
  counts: readonly TokenCount[],
  getKey: (count: TokenCount) => string | number,
): Record<string, number> {
  const sums = new Map<string, number>()
  for (const count of counts) {
    const key = String(getKey(count))
    sums.set(key, (sums.get(key) ?? 0) + count.tokens)
  }
  return Object.fromEntries([...sums].sort(([one], [other]) => one.localeCompare(other)))
}
