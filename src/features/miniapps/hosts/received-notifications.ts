import type { Database, Transaction } from '../../../platform/db/connection.js'
import { isLocalSite } from './site.js'

/** What a mini app tells some of the users of an app that opens it (docs/protocol.md §8.3). */
export interface Notification {
  readonly notificationId: string
  readonly title: string
  readonly body: string
  readonly targetUrl: string
  readonly tokens: readonly string[]
}

/** What became of it, in the protocol's words: each token is in one of the lists. */
export interface NotificationResult {
  readonly successfulTokens: string[]
  readonly invalidTokens: string[]
  readonly rateLimitedTokens: string[]
  readonly failedTokens: { readonly token: string; readonly reason: 'target_url_mismatch' }[]
}

/** A notification as the app shows it to its user. */
export interface ReceivedNotification {
  readonly id: number
  readonly domain: string
  readonly notificationId: string
  readonly title: string
  readonly body: string
  readonly targetUrl: string
  readonly createdAt: Date
}

/** What the protocol suggests: one in 30 seconds and 100 a day for each token. */
const MIN_INTERVAL_SECONDS = 30
const MAX_PER_DAY = 100
const DAY_SECONDS = 86_400

interface TokenStatus {
  readonly token: string
  readonly domain: string
  /** The user has this notification already. */
  readonly isKnown: boolean
  /** No other may come at this moment. */
  readonly isHeld: boolean
}

/**
 * Takes a notification for the users of these tokens. One that a user has got within the last day succeeds and is not
 * shown again.
 *
 * @param nowMs Unix milliseconds.
 */
export async function receiveNotification(
  db: Database,
  notification: Notification,
  nowMs: number,
): Promise<NotificationResult> {
  const tokens = [...new Set(notification.tokens)]
  return await db.begin(async (transaction) => {
    const statuses = await readTokenStatuses(transaction, { ...notification, tokens }, nowMs / 1000)
    const knownTokens = new Set(statuses.map(({ token }) => token))
    const isTarget = targetMatcher(notification.targetUrl)
    const withMatchingTarget = statuses.filter(isTarget)
    const acceptedTokens = withMatchingTarget.filter(({ isKnown, isHeld }) => isKnown || !isHeld)
    await storeNotification(
      transaction,
      acceptedTokens.filter(({ isKnown }) => !isKnown).map(({ token }) => token),
      notification,
      nowMs / 1000,
    )
    return {
      successfulTokens: acceptedTokens.map(({ token }) => token),
      invalidTokens: tokens.filter((token) => !knownTokens.has(token)),
      rateLimitedTokens: withMatchingTarget
        .filter((each) => !acceptedTokens.includes(each))
        .map(({ token }) => token),
      failedTokens: statuses
        .filter((each) => !isTarget(each))
        .map(({ token }) => ({ token, reason: 'target_url_mismatch' as const })),
    }
  })
}

/** Tokens that are good, which stay as they are until the transaction ends. */
async function readTokenStatuses(
  db: Transaction,
  { tokens, notificationId }: Notification,
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
      t.token, t.domain,
      exists (
        select from miniapps.host_notifications n
        where n.app_id = t.app_id and n.fid = t.fid and n.domain = t.domain
          and n.notification_id = ${notificationId} and n.created_at > to_timestamp(${now - DAY_SECONDS})
      ) as "isKnown",
      coalesce(
        recent.newest > to_timestamp(${now - MIN_INTERVAL_SECONDS}) or recent.count >= ${MAX_PER_DAY}, false
      ) as "isHeld"
    from miniapps.host_tokens t
    cross join lateral (
      select max(created_at) as newest, count(*) as count
      from miniapps.host_notifications n
      where n.token = t.token and n.created_at > to_timestamp(${now - DAY_SECONDS})
    ) recent
    where t.token = any (${tokenArray}::text[]) and t.state = 'enabled'`
}

async function storeNotification(
  db: Transaction,
  tokens: readonly string[],
  { notificationId, title, body, targetUrl }: Notification,
  now: number,
): Promise<void> {
  if (tokens.length === 0) return
  const acceptedTokens = db.types.texts([...tokens])
  // Of more than a day ago: it comes as if it had not been there.
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

/** A notification opens its own mini app and no other, and by https but for one that is being developed. */
function targetMatcher(targetUrl: string): (status: TokenStatus) => boolean {
  const target = URL.canParse(targetUrl) ? new URL(targetUrl) : null
  return ({ domain }) => target?.host === domain && (target.protocol === 'https:' || isLocalSite(domain))
}

/** What mini apps have told a user of an app, the newest first. @param below Goes on behind the one with this id. */
export async function listReceived(
  db: Database,
  { appId, fid }: { readonly appId: string; readonly fid: number },
  { limit, beforeId }: { readonly limit: number; readonly beforeId: number | null },
): Promise<ReceivedNotification[]> {
  return await db<ReceivedNotification[]>`
    select
      id, domain, notification_id as "notificationId", title, body, target_url as "targetUrl",
      created_at as "createdAt"
    from miniapps.host_notifications
    where app_id = ${appId} and fid = ${fid}::bigint and (${beforeId}::bigint is null or id < ${beforeId}::bigint)
    order by id desc
    limit ${limit}::bigint`
}
