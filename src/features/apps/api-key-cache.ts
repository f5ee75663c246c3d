import { timingSafeEqual } from 'node:crypto'
import { anonymousCaller, type Caller } from '../../api/caller.js'
import type { Database } from '../../platform/db/connection.js'
import { PromiseCache } from '../../platform/promise-cache.js'
import { hashOfKey } from './api-keys.js'
import { isUuid } from './apps.js'

/** How long a revoked key may still be accepted. */
const CACHE_MS = 1_000
/** Most cached keys, including invalid ones. */
const MAX_CACHED = 10_000

/** Creates the key cache: one statement per key and second, shared by concurrent requests. */
export function createApiKeyCache(db: Database, clock: () => number) {
  const callers = new PromiseCache<Caller | null>({ max: MAX_CACHED, ttlMs: CACHE_MS, clock })
  const usedAtMs = new Map<number, number>()

  /** Returns the app of a key; null for an invalid or revoked key. */
  async function find(key: string): Promise<Caller | null> {
    const hash = hashOfKey(key)
    const caller = await callers.read(hash.toString('base64'), () => readCaller(db, hash))
    if (caller) usedAtMs.set(caller.keyId, clock())
    return caller
  }

  /** Returns the app that a keyless request names by its id; null for an unknown one. */
  async function findClient(clientId: string): Promise<Caller | null> {
    return isUuid(clientId) ? await callers.read(`app ${clientId}`, () => readClient(db, clientId)) : null
  }

  /** Stores the last use of keys used since the previous call. */
  async function saveLastUsed(writerDb: Database): Promise<void> {
    const used = [...usedAtMs]
    if (used.length === 0) return
    usedAtMs.clear()
    await writerDb`
      update apps.api_keys
      set last_used_at = date_trunc('minute', to_timestamp(used.ms / 1000.0))
      from unnest(${used.map(([id]) => id)}::integer[], ${used.map(([, ms]) => ms)}::bigint[]) as used (id, ms)
      where api_keys.id = used.id
        and (last_used_at is null or last_used_at < date_trunc('minute', to_timestamp(used.ms / 1000.0)))`
  }

  return { find, findClient, saveLastUsed }
}

/** Looks up API keys with a cache. */
export type ApiKeyCache = ReturnType<typeof createApiKeyCache>

/**
 * Looks up a key by its hash. The time of an index lookup reveals nothing useful about a hash; the final
 * comparison is exact.
 */
async function readCaller(db: Database, hash: Buffer): Promise<Caller | null> {
  const [row] = await db<(Caller & { hash: Buffer })[]>`
    select id as "keyId", app_id as "appId", rate_limit as "rateLimit", hash
    from apps.api_keys
    where hash = ${hash} and revoked_at is null`
  if (!row || !timingSafeEqual(row.hash, hash)) return null
  const { hash: _hash, ...caller } = row
  return caller
}

async function readClient(db: Database, appId: string): Promise<Caller | null> {
  const [app] = await db`select from apps.apps where id = ${appId}`
  return app ? { ...anonymousCaller, appId } : null
}
