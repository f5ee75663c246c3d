import { notifyChangedLanes, notifyLanes } from '../../outbox/outbox-queue.js'
import type { Database, Queryable, Transaction } from '../../platform/db/connection.js'
import { UNIQUE_VIOLATION } from '../../platform/db/connection-errors.js'
import { runInBatches } from '../../platform/db/run-in-batches.js'
import { errorCode, PlazaError } from '../../platform/errors.js'
import { isNetFailure } from '../../platform/outbound/net-failure.js'
import { checkTarget, type TargetPolicy } from '../../platform/outbound/target.js'
import type { Vault } from '../../platform/vault/vault.js'
import { cancelWaiting, cancelWaitingBatch } from './cancel-waiting.js'
import { checkCatchAllLimit } from './matching/catch-all-limit.js'
import { checkFilters, subscriptionDigest, withChangedScore } from './matching/filters.js'
import { checkPatternLimits } from './matching/pattern-limit.js'
import type { WebhookSubscriptionFilters } from './schema/webhook-filters.js'
import {
  addSecret,
  copySecrets,
  decryptSigningSecrets,
  expireSecrets,
  type KnownSecret,
  type SigningSecret,
} from './secrets.js'
import { deliveryChannel } from './waiting-deliveries.js'

/** Made due by one statement: tens of milliseconds. */
const RETRIES_BATCH = 5_000

/** A webhook as its owner sees it. */
export interface Webhook extends WebhookRow {
  readonly secrets: readonly SigningSecret[]
}

interface WebhookRow {
  readonly id: string
  readonly developerUuid: string
  readonly title: string
  readonly targetUrl: string
  readonly active: boolean
  readonly disabledReason: string | null
  readonly httpTimeoutMs: number
  readonly rateLimit: number
  readonly rateLimitMs: number
  readonly filters: WebhookSubscriptionFilters | null
  readonly subscriptionId: string
  readonly subscribedAt: Date
  readonly subscriptionUpdatedAt: Date
  readonly createdAt: Date
  readonly updatedAt: Date
  readonly deletedAt: Date | null
}

/** A webhook as an app requests it. */
export interface WebhookDetails {
  readonly title: string
  readonly targetUrl: string
  /** Undefined: no events but tests for a new webhook; unchanged for an existing one. */
  readonly filters: WebhookSubscriptionFilters | undefined
  /** The worker that alone sends its deliveries, for a webhook that lives as long as this worker. */
  readonly listener?: string
  /** Origin of a webhook that was copied from another service. */
  readonly source?: WebhookSource
}

/** The changed details of a webhook. */
type ReplacedDetails = Pick<WebhookDetails, 'title' | 'targetUrl'> & {
  readonly filters: WebhookDetails['filters'] | null
}

/** The origin of a copied webhook. */
export interface WebhookSource {
  /** Id at the other service. */
  readonly id: string
  readonly active: boolean
  /** Secrets that its receiver knows, the newest first; without any it gets a new one. */
  readonly secrets: readonly KnownSecret[]
}

/** Dependencies of the webhook store. */
export interface WebhookStore {
  readonly db: Database
  readonly vault: Vault
  readonly settings: WebhookSettings
}

/**
 * Creates a webhook of an app with a secret.
 *
 * @throws PlazaError 400 for an invalid target or filters, 409 when the app has an equal subscription.
 */
export async function createWebhook(
  store: WebhookStore,
  appId: string,
  { title, targetUrl, filters, listener, source }: WebhookDetails,
): Promise<Webhook> {
  const { db, vault, settings } = store
  const subscription = requestDigest(targetUrl, filters, settings.targetPolicy)
  if (filters !== undefined) checkFilters(filters)
  // Two listeners of one address are two terminals, not a mistake.
  const digest = listener === undefined ? subscription : null
  return refuseDuplicates(() =>
    db.begin(async (transaction) => {
      const revision = await nextRevision(transaction)
      await checkWebhookLimit(transaction, appId, settings.maxPerApp)
      if (filters !== undefined) await checkLimits(transaction, appId, null, filters)
      const [created] = await transaction<{ id: string }[]>`
        insert into webhooks.webhooks (
          app_id, title, target_url, filters, digest, revision, http_timeout_ms, rate_limit, rate_limit_ms, listener,
          active, copied_from
        )
        values (
          ${appId}, ${title}, ${targetUrl}, ${filters === undefined ? null : JSON.stringify(filters)}::text::jsonb, ${digest}, ${revision},
          ${settings.httpTimeoutMs}, ${settings.rateLimit}, ${settings.rateLimitMs}, ${listener ?? null},
          ${source?.active ?? true}, ${source?.id ?? null}
        )
        returning id`
      if (source === undefined || source.secrets.length === 0)
        await addSecret(transaction, vault, created!.id)
      else await copySecrets(transaction, vault, created!.id, source.secrets)
      await transaction`
        insert into webhooks.lanes (webhook_id, allowance) values (${created!.id}, ${settings.rateLimit})`
      return await findWebhook({ db: transaction, vault }, appId, created!.id)
    }),
  )
}

/**
 * Changes the name, target and subscription of a webhook; it stays active or inactive. A new target takes what waits at
 * once, whatever the one before has asked for. Null filters end its subscription.
 *
 * @throws PlazaError 400, 404 and 409 as `createWebhook`.
 */
export async function replaceWebhook(
  store: WebhookStore,
  appId: string,
  webhookId: string,
  { title, targetUrl, filters }: ReplacedDetails,
): Promise<Webhook> {
  let isMoved = false
  const replaced = await refuseDuplicates(() =>
    changeWebhook(store, appId, webhookId, async (transaction, current, revision) => {
      const sent = filters ? withChangedScore(filters, current.filters) : undefined
      const subscribed = filters === null ? undefined : (sent ?? current.filters ?? undefined)
      const digest = requestDigest(targetUrl, subscribed, store.settings.targetPolicy)
      if (sent !== undefined) {
        checkFilters(sent)
        await checkLimits(transaction, appId, webhookId, sent)
      }
      await transaction`
        update webhooks.webhooks
        set title = ${title}, target_url = ${targetUrl}, digest = ${digest}, revision = ${revision}, updated_at = now(),
          subscription_updated_at = case when ${filters !== undefined} then now() else subscription_updated_at end,
          filters = ${subscribed === undefined ? null : JSON.stringify(subscribed)}::text::jsonb
        where id = ${webhookId}`
      if (targetUrl === current.targetUrl) return
      isMoved = true
      await forgetFailures(transaction, webhookId)
      await notifyChangedLanes(transaction, deliveryChannel, [current.id])
      await notifyLanes(transaction, deliveryChannel, [current.id])
    }),
  )
  if (isMoved) await retryAtOnce(store.db, replaced)
  return replaced
}

/** Makes retries due that wait because of the target before, a batch at a time: there may be many. */
async function retryAtOnce(db: Database, { id, updatedAt }: Webhook): Promise<void> {
  await runInBatches(
    RETRIES_BATCH,
    () => db`
      update webhooks.deliveries
      set next_attempt_at = now()
      where state = 'waiting' and id in (
        select id from webhooks.deliveries
        where webhook_id = ${id} and state = 'waiting' and attempts > 0 and next_attempt_at > now()
          and last_attempt_at <= ${updatedAt.toISOString()}
        limit ${RETRIES_BATCH}
      )`,
  )
  await notifyLanes(db, deliveryChannel, [id])
}

/** Activates or deactivates a webhook. Deactivating cancels its queued deliveries, which can be redelivered later. */
export async function setWebhookActive(
  store: WebhookStore,
  appId: string,
  webhookId: string,
  active: boolean,
): Promise<Webhook> {
  const changed = await changeWebhook(store, appId, webhookId, async (transaction, current, revision) => {
    if (current.active === active) return
    await transaction`
      update webhooks.webhooks
      set active = ${active}, disabled_reason = null, revision = ${revision}, updated_at = now()
      where id = ${webhookId}`
    if (active) await forgetFailures(transaction, webhookId)
    else await notifyChangedLanes(transaction, deliveryChannel, [current.id])
  })
  if (!active) await cancelWaiting(store.db, webhookId, 'the webhook was deactivated')
  return changed
}

/** Ends the hold of a webhook's lane and resets its failures. */
async function forgetFailures(transaction: Transaction, webhookId: string): Promise<void> {
  await transaction`
    update webhooks.lanes
    set failing_since = null, failures = 0, held_until = null, unsigned_since = null
    where webhook_id = ${webhookId}`
}

/** Changes a webhook of this app under the lock of the revisions, and returns it afterwards. */
function changeWebhook(
  { db, vault }: WebhookStore,
  appId: string,
  webhookId: string,
  change: (transaction: Transaction, current: Webhook, revision: number) => Promise<void>,
): Promise<Webhook> {
  return db.begin(async (transaction) => {
    const revision = await nextRevision(transaction)
    const current = await findWebhook({ db: transaction, vault }, appId, webhookId)
    await change(transaction, current, revision)
    return await findWebhook({ db: transaction, vault }, appId, webhookId)
  })
}

/**
 * Disables a webhook from the server's side and records the reason, unless it has another target meanwhile. Its queued
 * deliveries are the caller's to cancel.
 *
 * @returns Whether it was disabled.
 */
export async function disableWebhook(
  db: Database,
  { webhookId, targetUrl }: { readonly webhookId: string; readonly targetUrl: string },
  reason: string,
): Promise<boolean> {
  return await db.begin(async (transaction) => {
    const revision = await nextRevision(transaction)
    const disabled = await transaction`
      update webhooks.webhooks
      set active = false, disabled_reason = ${reason}, revision = ${revision}, updated_at = now()
      where id = ${webhookId} and target_url = ${targetUrl} and active`
    if (disabled.count > 0) await notifyChangedLanes(transaction, deliveryChannel, [webhookId])
    return disabled.count > 0
  })
}

/** Deletes a webhook and its queued deliveries. Returns its last state. */
export async function deleteWebhook(
  { db, vault }: WebhookStore,
  appId: string,
  webhookId: string,
): Promise<Webhook> {
  const deleted = await db.begin(async (transaction) => {
    const revision = await nextRevision(transaction)
    const current = await findWebhook({ db: transaction, vault }, appId, webhookId)
    const [row] = await transaction<{ deletedAt: Date }[]>`
      update webhooks.webhooks
      set active = false, revision = ${revision}, updated_at = now(), deleted_at = now()
      where id = ${webhookId}
      returning deleted_at as "deletedAt"`
    await notifyChangedLanes(transaction, deliveryChannel, [current.id])
    return { ...current, active: false, updatedAt: row!.deletedAt, deletedAt: row!.deletedAt }
  })
  await cancelWaiting(db, webhookId, 'the webhook was deleted')
  return deleted
}

/** Creates a new secret; the existing ones keep signing for the grace time. Workers sign anew what they have not sent. */
export async function rotateSecret(
  store: WebhookStore,
  appId: string,
  webhookId: string,
  graceSeconds: number,
): Promise<Webhook> {
  return changeWebhook(store, appId, webhookId, async (transaction, current) => {
    await expireSecrets(transaction, webhookId, graceSeconds)
    await addSecret(transaction, store.vault, webhookId)
    await transaction`update webhooks.lanes set unsigned_since = null where webhook_id = ${webhookId}`
    await notifyChangedLanes(transaction, deliveryChannel, [current.id])
  })
}

/**
 * Finds a webhook of this app.
 *
 * @throws PlazaError 404 for an unknown webhook.
 */
export async function findWebhook(
  { db, vault }: { readonly db: Queryable; readonly vault: Vault },
  appId: string,
  webhookId: string,
): Promise<Webhook> {
  const [webhook] = await withSecrets(db, vault, await selectWebhooks(db, appId, webhookId))
  if (webhook) return webhook
  throw new PlazaError('not_found', 'there is no webhook with this webhook_id', { property: 'webhook_id' })
}

/**
 * Requires that a webhook is active.
 *
 * @throws PlazaError 409 otherwise.
 */
export function requireActive({ active }: { readonly active: boolean }): void {
  if (active) return
  throw new PlazaError('conflict', 'the webhook is inactive: activate it first', { property: 'webhook_id' })
}

/** Lists the webhooks of this app, oldest first. */
export async function listWebhooks(
  { db, vault }: Pick<WebhookStore, 'db' | 'vault'>,
  appId: string,
): Promise<Webhook[]> {
  return withSecrets(db, vault, await selectWebhooks(db, appId, null))
}

async function withSecrets(db: Queryable, vault: Vault, rows: readonly WebhookRow[]): Promise<Webhook[]> {
  const ids = rows.map(({ id }) => id)
  const secrets = ids.length === 0 ? new Map() : await decryptSigningSecrets(db, vault, ids)
  return rows.map((row) => ({ ...row, secrets: secrets.get(row.id) ?? [] }))
}

function selectWebhooks(db: Queryable, appId: string, webhookId: string | null): Promise<WebhookRow[]> {
  return db<WebhookRow[]>`
    select
      w.id, a.developer_uuid as "developerUuid", w.title, w.target_url as "targetUrl", w.active,
      w.disabled_reason as "disabledReason", w.http_timeout_ms as "httpTimeoutMs", w.rate_limit as "rateLimit",
      w.rate_limit_ms as "rateLimitMs", w.filters, w.subscription_id as "subscriptionId",
      w.subscribed_at as "subscribedAt", w.subscription_updated_at as "subscriptionUpdatedAt",
      w.created_at as "createdAt", w.updated_at as "updatedAt", w.deleted_at as "deletedAt"
    from webhooks.webhooks w
    join apps.apps a on a.id = w.app_id
    where w.app_id = ${appId} and w.deleted_at is null and (${webhookId}::uuid is null or w.id = ${webhookId}::uuid)
    order by w.created_at, w.id`
}

/** Returns the digest of a subscription; null without filters, since any number of those may be equal. */
function requestDigest(
  targetUrl: string,
  filters: WebhookSubscriptionFilters | undefined,
  policy: TargetPolicy,
): Buffer | null {
  const target = checkTarget(targetUrl, policy)
  if (isNetFailure(target)) {
    throw new PlazaError('bad_request.invalid_param', `url is not an allowed target: ${target.detail}`, {
      property: 'url',
    })
  }
  return filters === undefined ? null : subscriptionDigest(target, filters)
}

/** Returns the next revision. The lock makes revisions visible in order. */
async function nextRevision(db: Queryable): Promise<number> {
  const [row] = await db<{ revision: number }[]>`
    update webhooks.revision set revision = revision + 1 returning revision`
  return row!.revision
}

async function checkWebhookLimit(db: Transaction, appId: string, maxPerApp: number): Promise<void> {
  const [row] = await db<{ count: number }[]>`
    select count(*) as count from webhooks.webhooks where app_id = ${appId} and deleted_at is null`
  if (row!.count >= maxPerApp) {
    throw new PlazaError('bad_request.invalid_param', `an app may have at most ${maxPerApp} webhooks`, {
      property: 'body',
    })
  }
}

/** Refuses filters that cost too much beside those of the other webhooks of the app. */
async function checkLimits(...change: Parameters<typeof checkPatternLimits>): Promise<void> {
  await checkPatternLimits(...change)
  await checkCatchAllLimit(...change)
}

/**
 * Deletes the webhooks of listeners that have ended, and cancels what waits for them: a batch of each. A job cancels the rest
 * (`cancelWaitingOfInactive`).
 */
export async function deleteWebhooksOfListeners(db: Queryable, listeners: readonly string[]): Promise<void> {
  const ids = db.types.texts(listeners)
  const found = await db<{ id: string }[]>`
    select id from webhooks.webhooks where listener = any (${ids}::text[]::uuid[]) and deleted_at is null`
  if (found.length === 0) return
  const revision = await nextRevision(db)
  await db`
    update webhooks.webhooks
    set active = false, revision = ${revision}, updated_at = now(), deleted_at = now()
    where id = any (${db.types.texts(found.map(({ id }) => id))}::text[]::uuid[])`
  for (const { id } of found) await cancelWaitingBatch(db, id, 'the command that listened has ended')
}

async function refuseDuplicates<Result>(write: () => Promise<Result>): Promise<Result> {
  try {
    return await write()
  } catch (error) {
    if (errorCode(error) === UNIQUE_VIOLATION) {
      throw new PlazaError('conflict', 'the app has a webhook with this subscription to this url already', {
        property: 'subscription',
        cause: error,
      })
    }
    throw error
  }
}

/** Operator settings of webhooks. */
export interface WebhookSettings {
  /** Policy for URLs that receive events. */
  readonly targetPolicy: TargetPolicy
  /** Defaults of a new webhook: timeout of an attempt, and attempts per `rateLimitMs`. */
  readonly httpTimeoutMs: number
  readonly rateLimit: number
  readonly rateLimitMs: number
  /** Most webhooks of one app. */
  readonly maxPerApp: number
}
