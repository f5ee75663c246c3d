import { createHash, randomBytes } from 'node:crypto'
import type { Queryable } from '../db/connection.js'

/** What may be known of a key. */
export interface ApiKey {
  readonly id: number
  readonly app: string
  readonly prefix: string
  readonly rateLimit: number | null
  readonly createdAt: Date
  readonly lastUsedAt: Date | null
  readonly revokedAt: Date | null
}

export interface NewApiKey {
  readonly appId: string
  /** Requests per minute; null is the server's default, 0 is no limit. */
  readonly rateLimit?: number | null
  /** Instead of a random one. */
  readonly key?: string
}

const KEY_BYTES = 32
const KEY_MARK = 'plaza_'
const PREFIX_LENGTH = 12

/** Makes a key. What is returned is the only copy of it. */
export async function createApiKey(
  db: Queryable,
  { appId, rateLimit = null, key }: NewApiKey,
): Promise<string> {
  const made = key ?? `${KEY_MARK}${randomBytes(KEY_BYTES).toString('base64url')}`
  await db`
    insert into apps.api_keys (app_id, hash, prefix, rate_limit)
    values (${appId}, ${hashOfKey(made)}, ${made.slice(0, PREFIX_LENGTH)}, ${rateLimit})`
  return made
}

/** All keys, those of one app together, the oldest first. */
export async function listApiKeys(db: Queryable): Promise<ApiKey[]> {
  return db<ApiKey[]>`
    select api_keys.id, apps.name as app, prefix, rate_limit as "rateLimit",
      api_keys.created_at as "createdAt", last_used_at as "lastUsedAt", revoked_at as "revokedAt"
    from apps.api_keys
    join apps.apps on apps.id = app_id
    order by apps.name, api_keys.id`
}

/** Ends a key. Servers refuse it within a second. False when there is no such key, or it was revoked before. */
export async function revokeApiKey(db: Queryable, id: number): Promise<boolean> {
  const rows = await db`
    update apps.api_keys set revoked_at = now()
    where id = ${id}::integer and revoked_at is null
    returning id`
  return rows.length > 0
}

/** What is stored of a key. */
export function hashOfKey(key: string): Buffer {
  return createHash('sha256').update(key).digest()
}
