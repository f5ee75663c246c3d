import { randomUUID } from 'node:crypto'
import type { Database, Queryable } from '../../../platform/db/connection.js'
import { isTemporary, outageOf } from '../../../platform/db/connection-errors.js'
import { PlazaError } from '../../../platform/errors.js'
import { parseUrl } from '../../../platform/text/parse-url.js'
import { type AudienceFilter, audienceTokens, forceCustomPlan, selectAudience } from './audience/audience.js'
import { type Campaigns, MAX_TURN_WAIT_MS, MAX_WAIT_MS, SYNCHRONOUS_TOKENS } from './campaign-client.js'
import { type CampaignResult, readResult } from './campaigns.js'
import { withOpenParameters } from './opens.js'

/** A notification to send. */
export interface BroadcastRequest {
  readonly appId: string
  readonly notification: NotificationContent
  /** Idempotency key: users reached with it are not notified again within 24 hours. */
  readonly uuid: string | null
  readonly audience: AudienceFilter
}

/** The notification of an end may be lost with a connection: the result is read at least this often. */
const POLL_MS = 1_000

/**
 * Sends a notification to an audience within the call, or queues it as a campaign when the audience is large and
 * queueing is enabled. A worker selects a queued campaign's audience, so the call takes as long for a million users as
 * for 101.
 *
 * @throws PlazaError `unavailable` that names the campaign when the server stops first, or when no worker has sent all in time.
 * The rest is sent when there is one.
 */
export async function broadcast(
  {
    db: readDb,
    writerDb: db,
    campaigns,
  }: { readonly db: Database; readonly writerDb: Database; readonly campaigns: Campaigns },
  request: BroadcastRequest,
  maxWaitMs: number = MAX_WAIT_MS,
): Promise<{ readonly campaignId: string; readonly result: CampaignResult | null }> {
  const { appId, uuid, audience } = request
  const startMs = performance.now()
  const turn = { appId, untilMs: startMs + Math.min(maxWaitMs, MAX_TURN_WAIT_MS) }
  const isSmall = hasFewUsers(audience)
  const isLarge = () => isAudienceLarge(readDb, appId, audience)
  if (campaigns.settings.isAsync && (await (isSmall ? isLarge() : campaigns.look(turn, isLarge)))) {
    const campaignId = await insertCampaign(db, request, 'queued')
    await wake()
    return { campaignId, result: null }
  }
  await campaigns.watchEnds()
  const { campaignId, batches, hosts } = await campaigns.select(
    { ...turn, uuid, isSmall },
    async (transaction) => {
      const id = await insertCampaign(transaction, request, 'running')
      return { campaignId: id, ...(await selectAudience(transaction, { id, ...request })) }
    },
  )
  try {
    if (batches > 0) await waitForEnd(hosts)
    for (;;) {
      const result = await readResultNow(db, campaignId)
      if (result?.openBatches === 0) return { campaignId, result }
      if (performance.now() >= startMs + maxWaitMs) throw new PlazaError('unavailable', 'the time is over')
      await waitForEnd([])
    }
  } catch (cause) {
    // Without its campaign, the caller would send everything again under another notificationId.
    const message = `the notification is still being sent: GET frame/notifications?campaign_id=${campaignId} has its progress`
    throw new PlazaError('unavailable', message, { cause })
  }

  async function waitForEnd(hostsToWake: readonly string[]): Promise<void> {
    await Promise.all([campaigns.waitForEnd(campaignId, POLL_MS), wake(hostsToWake)])
  }

  /** Senders that hear nothing find the batches in their next sweep. */
  async function wake(hosts?: readonly string[]): Promise<void> {
    await campaigns.wake(db, hosts).catch(() => {})
  }
}

/** Reads the result; null while the database is away. */
async function readResultNow(db: Database, campaignId: string): Promise<CampaignResult | null> {
  try {
    return await readResult(db, campaignId)
  } catch (error) {
    if (isTemporary(error)) return null
    throw error
  }
}

async function insertCampaign(
  db: Queryable,
  { appId, uuid, notification, audience }: BroadcastRequest,
  state: 'queued' | 'running',
): Promise<string> {
  const { title, body, targetUrl } = notification
  const id = randomUUID()
  // What runs at once selects its audience in this transaction: nobody else needs it.
  const storedAudience = state === 'queued' ? audience : {}
  await db`
    insert into miniapps.campaigns (id, app_id, uuid, title, body, target_url, audience, state, queued_at)
    values (
      ${id}, ${appId}, ${uuid}, ${title}, ${body}, ${withOpenParameters(targetUrl, id)}, ${JSON.stringify(storedAudience)}::text::jsonb, ${state},
      ${state === 'queued' ? db`now()` : null}
    )`
  return id
}

/** Whether an audience has few named users. Their tokens are found by key: with several clients they may still be many. */
function hasFewUsers({ targetFids }: AudienceFilter): boolean {
  return targetFids.length > 0 && targetFids.length <= SYNCHRONOUS_TOKENS
}

/**
 * Whether an audience is above `SYNCHRONOUS_TOKENS`. Stops counting there, so its cost does not grow with the audience. One that
 * cannot be counted in time, because few users meet its filter, is for a worker, too. What delays the look at named users is
 * something else, such as a lock.
 *
 * @param db For reads: a filter that few meet looks at many tokens, and merges have few connections.
 */
async function isAudienceLarge(db: Database, appId: string, filter: AudienceFilter): Promise<boolean> {
  try {
    return await db.begin(async (transaction) => {
      await forceCustomPlan(transaction)
      const found = await transaction`
        select
        from (${audienceTokens(transaction, appId, filter)}) audience
        where state = 'enabled'
        limit ${SYNCHRONOUS_TOKENS + 1}`
      return found.length > SYNCHRONOUS_TOKENS
    })
  } catch (error) {
    if (outageOf(error) === 'StatementTimeout') return !hasFewUsers(filter)
    throw error
  }
}

/** The text that users see. */
export interface NotificationContent {
  readonly title: string
  readonly body: string
  /** Opened by a tap. */
  readonly targetUrl: string
}

/**
 * Refuses a target URL that is not on the mini app's domain, as clients do (docs/protocol.md §8.3).
 *
 * @param domain ASCII domain of the mini app.
 * @throws PlazaError 400 for an invalid https URL, 422 for another domain.
 */
export function checkTargetUrl(targetUrl: string, domain: string): void {
  const property = 'notification.target_url'
  const url = parseUrl(targetUrl)
  if (url?.protocol !== 'https:' || url.username !== '' || url.password !== '') {
    const problem = `${property} must be an https URL without credentials`
    throw new PlazaError('bad_request.invalid_param', problem, { property })
  }
  if (url.host !== domain) {
    throw new PlazaError('unprocessable', `${property} must be on the domain of the mini app, ${domain}`, {
      property,
    })
  }
}
