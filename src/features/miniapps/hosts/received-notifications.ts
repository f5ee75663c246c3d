import type { Static } from '@sinclair/typebox'
import type { Database, Transaction } from '../../../platform/db/connection.js'
import { isoTime } from '../../../platform/db/iso-time.js'
import { DAY_SECONDS } from '../../../platform/durations.js'
import { parseUrl } from '../../../platform/text/parse-url.js'
import type { AppHostNotificationsResponse } from '../schema/miniapp.js'
import { isLocalSite } from './host-tokens.js'

/** A notification from a mini app to users of an app host (docs/protocol.md §8.3). */
export interface HostNotification {
  readonly notificationId: string
  readonly title: string
  readonly body: string
  readonly targetUrl: string
  readonly tokens: readonly string[]
}

/** The result in the protocol's terms: each token is in one of the lists. */
export interface NotificationResult {
  readonly successfulTokens: string[]
  readonly invalidTokens: string[]
  readonly rateLimitedTokens: string[]
  readonly failedTokens: { readonly token: string; readonly reason: 'target_url_mismatch' }[]
}

/** A notification as the app host shows it to its user, and its sort key. */
type ReceivedNotification = Static<typeof AppHostNotificationsResponse>['notifications'][number] & {
  readonly id: number
}

/** Limits that the protocol suggests: one per 30 seconds and 100 per day and token. */
const MIN_INTERVAL_SECONDS = 30
const MAX_PER_DAY = 100

interface TokenStatus {
  readonly token: string
  /** The mini app has not accepted the token yet: it may be about to, as one that greets the user before it answers. */
  readonly isOffered: boolean
  readonly domain: string
  /** The user has received this notification before. */
  readonly isDuplicate: boolean
  readonly isRateLimited: boolean
}

/**
 * Stores a notification for the users of the tokens. A repetition within a day succeeds and is not stored again.
 *
 * @param nowMs Unix milliseconds.
 */
export async function receiveNotification(
  db: Database,
  notification: HostNotification,
  nowMs: number,
): Promise<NotificationResult> {
  const tokens = [...new Set(notification.tokens)]
  return await db.begin(async (transaction) => {
    const statuses = await readTokenStatuses(transaction, { ...notification, tokens }, nowMs / 1000)
    const known = new Set(statuses.map(({ token }) => token))
    const isTarget = targetMatcher(notification.targetUrl)
    const tokensWhere = (condition: (status: TokenStatus) => boolean) =>
      statuses.filter(condition).map(({ token }) => token)
    const isLimited = ({ isOffered, isDuplicate, isRateLimited }: TokenStatus) =>
      isOffered || (isRateLimited && !isDuplicate)
    const successfulTokens = tokensWhere((status) => isTarget(status) && !isLimited(status))
    const duplicates = tokensWhere(({ isDuplicate }) => isDuplicate)
    const fresh = successfulTokens.filter((token) => !duplicates.includes(token))
    await storeNotification(transaction, fresh, notification, nowMs / 1000)
    return {
      successfulTokens,
      invalidTokens: tokens.filter((token) => !known.has(token)),
      rateLimitedTokens: tokensWhere((status) => isTarget(status) && isLimited(status)),
      failedTokens: tokensWhere((status) => !isTarget(status)).map((token) => ({
        token,
        reason: 'target_url_mismatch',
      })),
    }
  })
}

/** Reads the tokens that have not ended, and locks the valid ones until the transaction ends. */
async function readTokenStatuses(
  db: Transaction,
  { tokens, notificationId }: HostNotification,
  now: number,
): Promise<TokenStatus[]> {
  const tokenArray = db.types.texts([...tokens])
  await db`
    select from miniapps.host_tokens
    where token = any (${tokenArray}::text[]) and state = 'enabled'
    order by token
    for update`
  return await db<TokenStatus[]>`
    select
      t.token, t.domain, t.state = 'offered' as "isOffered",
      exists (
        select from miniapps.host_notifications n
        where n.app_id = t.app_id and n.fid = t.fid and n.domain = t.domain
          and n.notification_id = ${notificationId} and n.created_at > to_timestamp(${now - DAY_SECONDS})
      ) as "isDuplicate",
      coalesce(
        recent.newest > to_timestamp(${now - MIN_INTERVAL_SECONDS}) or recent.count >= ${MAX_PER_DAY}, false
      ) as "isRateLimited"
    from miniapps.host_tokens t
    cross join lateral (
      select max(created_at) as newest, count(*) as count
      from miniapps.host_notifications n
      where n.token = t.token and n.created_at > to_timestamp(${now - DAY_SECONDS})
        -- Later ones are from before the clock was set back; clocks of several processes differ by less.
        and n.created_at <= to_timestamp(${now + MIN_INTERVAL_SECONDS})
    ) recent
    where t.token = any (${tokenArray}::text[]) and t.state in ('enabled', 'offered')`
}

async function storeNotification(
  db: Transaction,
  tokens: readonly string[],
  { notificationId, title, body, targetUrl }: HostNotification,
  now: number,
): Promise<void> {
  if (tokens.length === 0) return
  const acceptedTokens = db.types.texts([...tokens])
  // More than a day old: the same notification may be received again.
  await db`
    delete from miniapps.host_notifications n
    using miniapps.host_tokens t
    where t.token = any (${acceptedTokens}::text[])
      and n.app_id = t.app_id and n.fid = t.fid and n.domain = t.domain and n.notification_id = ${notificationId}`
  await db`
    insert into miniapps.host_notifications (
      app_id, fid, domain, token, notification_id, title, body, target_url, created_at
    )
    select app_id, fid, domain, token, ${notificationId}, ${title}, ${body}, ${targetUrl}, to_timestamp(${now})
    from miniapps.host_tokens
    where token = any (${acceptedTokens}::text[])`
}

/** Returns whether a notification may open the URL: only its own mini app, over https except on loopback. */
function targetMatcher(targetUrl: string): (status: TokenStatus) => boolean {
  const target = parseUrl(targetUrl)
  return ({ domain }) => target?.host === domain && (target.protocol === 'https:' || isLocalSite(domain))
}

/**
 * Lists notifications that a user of an app host received, newest first.
 *
 * @param below Continue below this id.
 */
export function listReceived(
  db: Database,
  { appId, fid }: { readonly appId: string; readonly fid: number },
  { limit, below }: { readonly limit: number; readonly below: number | undefined },
): Promise<ReceivedNotification[]> {
  return db<ReceivedNotification[]>`
    select
      id, 'mini_app_notification' as object, domain, notification_id, title, body, target_url,
      ${isoTime(db, db`created_at`)} as created_at
    from miniapps.host_notifications
    where app_id = ${appId} and fid = ${fid}::bigint and id < ${below ?? Number.MAX_SAFE_INTEGER}::bigint
    order by id desc
    limit ${limit}::bigint`
}

/** Longer than the day in which a notification id is deduplicated. */
const NOTIFICATION_DAYS = 30
/** By then the notifications that used the token are deleted. */
const ENDED_TOKEN_DAYS = NOTIFICATION_DAYS + 1

/**
 * Deletes expired host data: notifications after 30 days, tokens not delivered within a day, and tokens that
 * ended before the oldest kept notification.
 */
export async function deleteExpiredHostData(db: Database): Promise<void> {
  await db`
    delete from miniapps.host_notifications
    where created_at < now() - ${NOTIFICATION_DAYS}::integer * interval '1 day'`
  await db`
    delete from miniapps.host_tokens
    where state <> 'enabled' and updated_at < now() - case state
        when 'offered' then interval '1 day'
        else ${ENDED_TOKEN_DAYS}::integer * interval '1 day'
      end`
}
