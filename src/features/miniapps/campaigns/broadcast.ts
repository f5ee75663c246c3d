import type { Database, Queryable } from '../../../platform/db/connection.js'
import { type AudienceFilter, audienceTokens } from './audience/audience.js'
import { selectAudience } from './audience/audience-selection.js'
import { forceCustomPlan } from './audience/custom-plan.js'
import type { Campaigns } from './campaign-client.js'
import type { NotificationContent } from './notification.js'
import { type CampaignResult, readResult } from './results.js'
import { SYNCHRONOUS_TOKENS } from './settings.js'

/** A notification to send. */
export interface BroadcastRequest {
  readonly appId: string
  readonly notification: NotificationContent
  /** Idempotency key: users reached with it are not notified again within 24 hours. */
  readonly uuid: string | null
  readonly audience: AudienceFilter
}

/** The result of a completed campaign, or a queued campaign. */
export type BroadcastResult =
  | { readonly campaignId: string; readonly result: null }
  | { readonly campaignId: string; readonly result: CampaignResult }

/** The notification of an end may be lost with a connection: the result is read at least this often. */
const POLL_MS = 1_000

/**
 * Sends a notification to an audience within the call, or queues it as a campaign when the audience is large
 * and queueing is enabled.
 *
 * A worker selects a queued campaign's audience, so the call takes as long for a million users as for 101.
 *
 * @throws PlazaError `unavailable` when the server stops first. The rest is sent after its restart.
 */
export async function broadcast(
  { db, campaigns }: { readonly db: Database; readonly campaigns: Campaigns },
  request: BroadcastRequest,
): Promise<BroadcastResult> {
  const { appId, audience } = request
  const isQueued =
    campaigns.settings.isAsync &&
    (await isAudienceLargerThan(db, { appId, filter: audience, limit: SYNCHRONOUS_TOKENS }))
  if (isQueued) {
    const campaignId = await insertCampaign(db, request, 'queued')
    await campaigns.wake(db)
    return { campaignId, result: null }
  }
  await campaigns.watchEnds()
  const { campaignId, batches, hosts } = await db.begin(async (transaction) => {
    const id = await insertCampaign(transaction, request, 'running')
    return { campaignId: id, ...(await selectAudience(transaction, { id, ...request })) }
  })
  if (batches > 0) await waitForEnd(hosts)
  for (;;) {
    const result = await readResult(db, campaignId)
    if (result.openBatches === 0) return { campaignId, result }
    await waitForEnd([])
  }

  async function waitForEnd(hostsToWake: readonly string[]): Promise<void> {
    await Promise.all([campaigns.waitForEnd(campaignId, POLL_MS), campaigns.wake(db, hostsToWake)])
  }
}

async function insertCampaign(
  db: Queryable,
  { appId, uuid, notification, audience }: BroadcastRequest,
  state: 'queued' | 'running',
): Promise<string> {
  const { title, body, targetUrl } = notification
  const [campaign] = await db<{ id: string }[]>`
    insert into miniapps.campaigns (app_id, uuid, title, body, target_url, audience, state, queued_at)
    values (
      ${appId}, ${uuid}, ${title}, ${body}, ${targetUrl}, ${JSON.stringify(audience)}::text::jsonb, ${state},
      ${state === 'queued' ? db`now()` : null}
    )
    returning id`
  return campaign!.id
}

/**
 * Whether an audience is larger than a limit. Stops counting there, so its cost does not grow with the
 * audience.
 */
async function isAudienceLargerThan(
  db: Database,
  {
    appId,
    filter,
    limit,
  }: { readonly appId: string; readonly filter: AudienceFilter; readonly limit: number },
): Promise<boolean> {
  return db.begin(async (transaction) => {
    await forceCustomPlan(transaction)
    const found = await transaction`
      select
      from (${audienceTokens(transaction, appId, filter)}) audience
      where state = 'enabled'
      limit ${limit + 1}`
    return found.length > limit
  })
}
