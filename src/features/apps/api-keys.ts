import { createHash, randomBytes } from 'node:crypto'
import type { Queryable } from '../../platform/db/connection.js'

/** What may be known of a key. */
export interface ApiKey {
  readonly id: number
  readonly appId: string
  /** The name of its app. */
  readonly app: string
  /** How it begins. */
  readonly prefix: string
  /** Requests per minute; null is the server's default, 0 is no limit. */
  readonly rateLimit: number | null
  readonly createdAt: Date
  /** To the minute. */
  readonly lastUsedAt: Date | null
  readonly revokedAt: Date | null
}

/** What a key is made of. */
export interface NewApiKey {
  readonly appId: string
  /** Requests per minute; null is the server's default, 0 is no limit. */
  readonly rateLimit?: number | null
  /** Instead of a random one. */
  readonly key?: string
}

/** A key that was just made. */
export interface CreatedApiKey extends ApiKey {
  /** The key itself: this is the only copy of it. */
  readonly key: string
}

/** Some of an app's keys, the oldest first. */
export interface ApiKeyPage {
  readonly limit: number
  /** Goes on behind the key with this id. */
  readonly after: number | null
}

/** Requests per minute that a key can be given: more than a server answers. */
export const MAX_RATE_LIMIT = 10_000_000
const KEY_BYTES = 32
const KEY_PREFIX = 'plaza_'
/** Characters of a key that are shown: few enough that those of a short one, which somebody chose, stay secret. */
const PREFIX_LENGTH = 12
const MAX_PREFIX_SHARE = 1 / 4

/** Makes a key for an app that exists. */
export async function createApiKey(
  db: Queryable,
  { appId, rateLimit = null, key }: NewApiKey,
): Promise<CreatedApiKey> {
  const newKey = key ?? `${KEY_PREFIX}${randomBytes(KEY_BYTES).toString('base64url')}`
  const [record] = await db<ApiKey[]>`
    insert into apps.api_keys (app_id, hash, prefix, rate_limit)
    values (${appId}, ${hashOfKey(newKey)}, ${prefixOf(newKey)}, ${rateLimit})
    returning ${columnsOf(db)}`
  return { ...record!, key: newKey }
}

/** All keys, those of one app together, the oldest first; revoked ones among them. */
export async function listApiKeys(db: Queryable): Promise<ApiKey[]> {
  return db<ApiKey[]>`select ${columnsOf(db)} from apps.api_keys order by app, id`
}

/** The keys of an app, the oldest first; revoked ones among them. */
export async function listKeysOfApp(db: Queryable, appId: string, page?: ApiKeyPage): Promise<ApiKey[]> {
  return db<ApiKey[]>`
    select ${columnsOf(db)}
    from apps.api_keys
    where app_id = ${appId} and id > ${page?.after ?? 0}
    order by id
    limit ${page?.limit ?? null}::bigint`
}

/** Gives a key another limit. Servers know it within a second. Null when there is no such key. */
export async function setApiKeyRateLimit(
  db: Queryable,
  id: number,
  rateLimit: number | null,
): Promise<ApiKey | null> {
  const [key] = await db<ApiKey[]>`
    update apps.api_keys set rate_limit = ${rateLimit}
    where id = ${id}
    returning ${columnsOf(db)}`
  return key ?? null
}

/**
 * Ends a key. Servers refuse it within a second. One that was revoked before stays revoked since then.
 *
 * @returns null when there is no such key; `isNew` tells whether it was good until now.
 */
export async function revokeApiKey(
  db: Queryable,
  id: number,
): Promise<{ readonly key: ApiKey; readonly isNew: boolean } | null> {
  const [revoked] = await db<ApiKey[]>`
    update apps.api_keys set revoked_at = now()
    where id = ${id} and revoked_at is null
    returning ${columnsOf(db)}`
  if (revoked) return { key: revoked, isNew: true }
  const [existing] = await db<ApiKey[]>`select ${columnsOf(db)} from apps.api_keys where id = ${id}`
  return existing ? { key: existing, isNew: false } : null
}

/** What is stored of a key. */
export function hashOfKey(key: string): Buffer {
  return createHash('sha256').update(key).digest()
}

function prefixOf(key: string): string {
  return key.slice(0, Math.min(PREFIX_LENGTH, Math.floor(key.length * MAX_PREFIX_SHARE)))
}

function columnsOf(db: Queryable) {
  return db`
    id, app_id as "appId", (select name from apps.apps where apps.id = app_id) as app, prefix,
    rate_limit as "rateLimit", created_at as "createdAt", last_used_at as "lastUsedAt", revoked_at as "revokedAt"`
}
