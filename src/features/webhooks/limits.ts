import type { Database } from '../../platform/db/connection.js'
import { isWaiting } from './waiting-deliveries.js'

/** Limits that an operator may change; omitted members stay unchanged. */
export interface WebhookLimits {
  readonly httpTimeoutMs?: number | undefined
  readonly rateLimit?: number | undefined
  readonly rateLimitMs?: number | undefined
}

/** Changes the limits of a webhook. Returns false for an unknown webhook. */
export async function setWebhookLimits(
  db: Database,
  webhookId: string,
  { httpTimeoutMs, rateLimit, rateLimitMs }: WebhookLimits,
): Promise<boolean> {
  const changed = await db`
    update webhooks.webhooks
    set
      http_timeout_ms = coalesce(${httpTimeoutMs ?? null}::integer, http_timeout_ms),
      rate_limit = coalesce(${rateLimit ?? null}::integer, rate_limit),
      rate_limit_ms = coalesce(${rateLimitMs ?? null}::integer, rate_limit_ms),
      updated_at = now()
    where id = ${webhookId} and deleted_at is null`
  return changed.count > 0
}

/** A webhook that a sample may be sent to. */
export interface TriggerableWebhook {
  readonly id: string
  readonly targetUrl: string
  readonly active: boolean
  /** Whether a `plaza webhook listen` sends its deliveries. */
  readonly isListening: boolean
  /** The most that an attempt may take. */
  readonly httpTimeoutMs: number
}

/** Lists the webhooks of an app, or of all with null, oldest first. */
export async function findTriggerable(db: Database, appId: string | null): Promise<TriggerableWebhook[]> {
  return db<TriggerableWebhook[]>`
    select id, target_url as "targetUrl", active, listener is not null as "isListening",
      http_timeout_ms as "httpTimeoutMs"
    from webhooks.webhooks
    where deleted_at is null and (${appId}::uuid is null or app_id = ${appId}::uuid)
    order by created_at, id`
}

/** A webhook as an operator sees it. */
export interface WebhookSummary {
  readonly id: string
  readonly app: string
  readonly targetUrl: string
  readonly active: boolean
  readonly disabledReason: string | null
  readonly waiting: number
  readonly failures: number
  /** No key of the server decrypts its secret, and its deliveries wait. */
  readonly isUnsigned: boolean
}

/** Lists all webhooks by app. */
export async function summarizeWebhooks(db: Database): Promise<WebhookSummary[]> {
  return db<WebhookSummary[]>`
    select
      w.id, a.name as app, w.target_url as "targetUrl", w.active, w.disabled_reason as "disabledReason", l.failures,
      w.active and l.unsigned_since is not null as "isUnsigned",
      (select count(*) from webhooks.deliveries d where d.webhook_id = w.id and ${isWaiting(db)}) as waiting
    from webhooks.webhooks w
    join apps.apps a on a.id = w.app_id
    join webhooks.lanes l on l.webhook_id = w.id
    where w.deleted_at is null
    order by a.name, w.created_at, w.id`
}
