import { randomBytes } from 'node:crypto'
import type { Database, Queryable } from '../../platform/db/connection.js'
import { secretDigest } from '../../platform/vault/secret-digest.js'
import { ensureApp } from './apps.js'

/** An API key without its secret. */
export interface ApiKey {
  readonly id: number
  readonly appId: string
  /** Name of the app. */
  readonly app: string
  /** The first characters of the key. */
  readonly prefix: string
  /** Requests per minute; null for the server's default, 0 for no limit. */
  readonly rateLimit: number | null
  readonly createdAt: Date
  /** Precise to a minute. */
  readonly lastUsedAt: Date | null
  readonly revokedAt: Date | null
}

/** Highest rate limit of a key. */
export const MAX_RATE_LIMIT = 10_000_000
const KEY_BYTES = 32
const KEY_PREFIX = 'plaza_'
/** Stored first characters of a key: few enough that a short, chosen key stays secret. */
const PREFIX_LENGTH = 12
const MAX_PREFIX_SHARE = 1 / 4

/** Creates a key for an existing app, random unless given. The result is the only copy of the key. */
export async function createApiKey(
  db: Queryable,
  { appId, rateLimit = null, key }: { appId: string; rateLimit?: number | null; key?: string | undefined },
): Promise<ApiKey & { readonly key: string }> {
  const newKey = key ?? `${KEY_PREFIX}${randomBytes(KEY_BYTES).toString('base64url')}`
  const [record] = await db<ApiKey[]>`
    insert into apps.api_keys (app_id, hash, prefix, rate_limit)
    values (${appId}, ${secretDigest(newKey)}, ${prefixOf(newKey)}, ${rateLimit})
    returning ${columnsOf(db)}`
  return { ...record!, key: newKey }
}

/** Whether the database has a key that is not revoked. */
export async function hasActiveKeys(db: Queryable): Promise<boolean> {
  const [found] = await db<{ exists: boolean }[]>`
    select exists (select from apps.api_keys where revoked_at is null) as exists`
  return found!.exists
}

/** Lists all keys by app, oldest first, including revoked ones. */
export async function listApiKeys(db: Queryable): Promise<ApiKey[]> {
  return db<ApiKey[]>`select ${columnsOf(db)} from apps.api_keys order by app, id`
}

/** Lists the keys of an app, oldest first, including revoked ones: all, or a page of those after an id. */
export async function listKeysOfApp(
  db: Queryable,
  appId: string,
  { limit = null, after = null }: { readonly limit?: number | null; readonly after?: number | null } = {},
): Promise<ApiKey[]> {
  return db<ApiKey[]>`
    select ${columnsOf(db)}
    from apps.api_keys
    where app_id = ${appId} and id > ${after ?? 0}
    order by id
    limit ${limit}::bigint`
}

/** Changes a key's rate limit; servers apply it within a second. Null for an unknown key. */
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
 * Revokes a key; servers refuse it within a second. Revoking again keeps the first date.
 *
 * @returns Null for an unknown key; `isNew` tells whether the key was active before.
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

function prefixOf(key: string): string {
  return key.slice(0, Math.min(PREFIX_LENGTH, Math.floor(key.length * MAX_PREFIX_SHARE)))
}

function columnsOf(db: Queryable) {
  return db`
    id, app_id as "appId", (select name from apps.apps where apps.id = app_id) as app, prefix,
    rate_limit as "rateLimit", created_at as "createdAt", last_used_at as "lastUsedAt", revoked_at as "revokedAt"`
}

const APP_NAME = 'development'

/**
 * Creates the first key of an empty database, so that a first start gives a working API.
 *
 * Returns null when any key exists, even a revoked one.
 */
export async function createDevelopmentKey(db: Database, configuredKey?: string): Promise<string | null> {
  return db.begin(async (sql) => {
    // Serializes concurrent starts, so that one key is created.
    await sql`lock table apps.apps in share row exclusive mode`
    const keys = await sql`select 1 from apps.api_keys limit 1`
    if (keys.length > 0) return null
    const appId = await ensureApp(sql, APP_NAME)
    const { key } = await createApiKey(sql, { appId, key: configuredKey })
    return key
  })
}
