import type { Database } from '../../../platform/db/connection.js'
import { outcomes, type TokenOutcome } from './outcome.js'

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

interface ResultRow {
  readonly openBatches: number
  readonly counts: readonly TokenCount[]
  readonly retryableFids: readonly number[]
}

/** Reads the current result of a campaign. */
export async function readResult(db: Database, campaignId: string): Promise<CampaignResult> {
  const [row] = await db<ResultRow[]>`
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
export function countsOf(db: Database) {
  return db`(
    select coalesce(jsonb_agg(jsonb_build_object(
      'clientFid', n.client_fid, 'outcome', n.outcome, 'httpStatus', n.http_status, 'tokens', n.tokens
    )), '[]')
    from miniapps.campaign_counts n
    where n.campaign_id = c.id
  )`
}

/** Sums token counts to the totals of the response (docs/compatibility.md §20.3). */
export function sumCounts(
  counts: readonly TokenCount[],
): Pick<CampaignResult, 'success' | 'failure' | 'notAttempted'> {
  const sum = (kind: (typeof outcomes)[TokenOutcome]['counts']) =>
    counts.reduce((total, { outcome, tokens }) => total + (outcomes[outcome].counts === kind ? tokens : 0), 0)
  return { success: sum('success'), failure: sum('failure'), notAttempted: sum('not_attempted') }
}
