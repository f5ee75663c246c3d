import { timingSafeEqual } from 'node:crypto'
import { anonymousCaller, type Caller } from '../../api/caller.js'
import type { Database } from '../../platform/db/connection.js'
import { hashOfKey } from './api-keys.js'
import { isUuid } from './app-details.js'

/** Looks up API keys with a cache. */
export interface ApiKeyCache {
  /** Returns the app of a key; null for an invalid or revoked key. */
  find(key: string): Promise<Caller | null>
  /** Returns the app that a keyless request names by its id; null for an unknown one. */
  findClient(clientId: string): Promise<Caller | null>
  /** Stores the last use of keys used since the previous call. */
  saveLastUsed(writerDb: Database): Promise<void>
}

interface Entry {
  readonly caller: Promise<Caller | null>
  readonly untilMs: number
}

/** How long a revoked key may still be accepted. */
const CACHE_MS = 1_000
/** Most cached keys, including invalid ones. */
const MAX_CACHED = 10_000

/**
 * Creates the key cache: one statement per key and second, shared by concurrent requests.
 *
 * @param clock Unix milliseconds.
 */
export function createApiKeyCache(db: Database, clock: () => number): ApiKeyCache {
  const entries = new Map<string, Entry>()
  const usedAtMs = new Map<number, number>()

  async function find(key: string): Promise<Caller | null> {
    const hash = hashOfKey(key)
    const caller = await cachedCaller(hash.toString('base64'), () => readCaller(db, hash))
    if (caller) usedAtMs.set(caller.keyId, clock())
    return caller
  }

  async function findClient(clientId: string): Promise<Caller | null> {
    return isUuid(clientId) ? await cachedCaller(`app ${clientId}`, () => readClient(db, clientId)) : null
  }

  function cachedCaller(cacheKey: string, read: () => Promise<Caller | null>): Promise<Caller | null> {
    const found = entries.get(cacheKey)
    if (found && found.untilMs > clock()) return found.caller
    entries.delete(cacheKey)
    if (entries.size >= MAX_CACHED) evictOldest(entries)
    const caller = read()
    entries.set(cacheKey, { caller, untilMs: clock() + CACHE_MS })
    // Failed lookups are not cached.
    caller.catch(() => entries.delete(cacheKey))
    return caller
  }

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

interface KeyRow {
  keyId: number
  appId: string
  rateLimit: number | null
  hash: Buffer
}

/**
 * Looks up a key by its hash. The time of an index lookup reveals nothing useful about a hash; the final
 * comparison is exact.
 */
async function readCaller(db: Database, hash: Buffer): Promise<Caller | null> {
  const [row] = await db<KeyRow[]>`
    select id as "keyId", app_id as "appId", rate_limit as "rateLimit", hash
    from apps.api_keys
    where hash = ${hash} and revoked_at is null`
  if (!row || !timingSafeEqual(row.hash, hash)) return null
  return { keyId: row.keyId, appId: row.appId, rateLimit: row.rateLimit }
}

async function readClient(db: Database, appId: string): Promise<Caller | null> {
  const [app] = await db`select from apps.apps where id = ${appId}`
  return app ? { ...anonymousCaller, appId } : null
}

/** Evicts the oldest entries: a map iterates in insertion order. */
function evictOldest(entries: Map<string, Entry>): void {
  const [oldest] = entries.keys()
  if (oldest !== undefined) entries.delete(oldest)
}
