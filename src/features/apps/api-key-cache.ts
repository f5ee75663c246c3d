import { timingSafeEqual } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import { anonymousCaller, type Caller } from '../../api/caller.js'
import type { LookUp } from '../../api/unknown-credentials.js'
import type { Database } from '../../platform/db/connection.js'
import { isUnavailable } from '../../platform/db/connection-errors.js'
import { PlazaError } from '../../platform/errors.js'
import { resultWithin } from '../../platform/process/pause.js'
import { PromiseCache } from '../../platform/promise-cache.js'
import { isUuid } from '../../platform/text/uuid.js'
import { secretDigest } from '../../platform/vault/secret-digest.js'

/** How long a revoked key may still be accepted. */
const CACHE_MS = 1_000
/** Most cached keys, including invalid ones. */
const MAX_CACHED = 10_000
/** Longest wait of a known key for the database; after it the key is accepted as it was. */
const QUERY_TIMEOUT_MS = 250
/**
 * How long a key is accepted after its last check while the database does not answer, so that what is cached can be read
 * meanwhile. No key can be revoked in a database that does not answer.
 */
const UNCHECKED_MS = 5 * 60_000

interface CheckedCaller {
  readonly caller: Caller
  readonly checkedMs: number
}

/** Creates the key cache: one statement per key and second, shared by concurrent requests. */
export function createApiKeyCache(db: Database, clock: () => number) {
  const callers = new PromiseCache<Caller | null>({ max: MAX_CACHED, ttlMs: CACHE_MS, clock })
  const checked = new LRUCache<string, CheckedCaller>({ maxSize: MAX_CACHED, sizeCalculation: () => 1 })
  const usedAtMs = new Map<number, number>()

  /** Looks a caller up; while the database does not answer, the last answer counts. */
  async function check(name: string, look: () => Promise<Caller | null>): Promise<Caller | null> {
    const looking = look().then((caller) => {
      if (caller) checked.set(name, { caller, checkedMs: clock() })
      else checked.delete(name)
      return { caller }
    })
    const known = checked.get(name)
    if (known === undefined || clock() - known.checkedMs > UNCHECKED_MS) return (await looking).caller
    const answer = await resultWithin(QUERY_TIMEOUT_MS, looking).catch((error: unknown) => {
      if (isUnavailable(error)) return null
      throw error
    })
    // What comes later is remembered, and its failure was no answer either.
    if (answer === null) looking.catch(() => {})
    return answer === null ? known.caller : answer.caller
  }

  /**
   * Returns the app of a key; null for an invalid or revoked key. Keys that were valid at their last check are not unknown:
   * they stay usable beside a flood of made-up ones.
   */
  async function find(key: string, lookUpUnknown: LookUp = (look) => look()): Promise<Caller | null> {
    const hash = secretDigest(key)
    const name = hash.toString('base64')
    const look = () => check(name, () => readCaller(db, hash))
    const load = () => (checked.has(name) ? look() : lookUpUnknown(look))
    const caller = await readForItself(callers, name, load)
    if (caller) usedAtMs.set(caller.keyId, clock())
    return caller
  }

  /** Returns the app that a keyless request names by its id; null for an unknown one. */
  async function findClient(clientId: string): Promise<Caller | null> {
    if (!isUuid(clientId)) return null
    const name = `app ${clientId}`
    return await callers.read(name, () => check(name, () => readClient(db, clientId)))
  }

  /** Stores the last use of keys used since the previous call. */
  async function saveLastUsed(writerDb: Database): Promise<void> {
    const used = [...usedAtMs]
    if (used.length === 0) return
    usedAtMs.clear()
    try {
      await writeLastUsed(writerDb, used)
    } catch (error) {
      for (const [id, ms] of used) usedAtMs.set(id, Math.max(ms, usedAtMs.get(id) ?? 0))
      throw error
    }
  }

  return { find, findClient, saveLastUsed }
}

/** Reads a key, again where another address that asked for it first is refused: that says nothing of this one. */
async function readForItself(
  callers: PromiseCache<Caller | null>,
  name: string,
  load: () => Promise<Caller | null>,
): Promise<Caller | null> {
  for (;;) {
    let isOwn = false
    const reading = () => {
      isOwn = true
      return load()
    }
    try {
      return await callers.read(name, reading)
    } catch (error) {
      const isRateLimited = error instanceof PlazaError && error.code === 'bad_request.rate_limited'
      if (isOwn || !isRateLimited) throw error
    }
  }
}

/** Stores the Unix milliseconds of last uses, by the id of the key. */
async function writeLastUsed(db: Database, used: readonly (readonly [number, number])[]): Promise<void> {
  await db`
    with used as materialized (
      select used.id, date_trunc('minute', to_timestamp(used.ms / 1000.0)) as minute
      from unnest(${used.map(([id]) => id)}::integer[], ${used.map(([, ms]) => ms)}::bigint[]) as used (id, ms)
      join apps.api_keys k on k.id = used.id
      -- Processes that store the same keys lock them in one order.
      order by used.id
      for update of k
    )
    update apps.api_keys
    set last_used_at = used.minute
    from used
    where api_keys.id = used.id and (last_used_at is null or last_used_at < used.minute)`
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
  const [app] = await db<{ id: string }[]>`select id from apps.apps where id = ${appId}`
  return app ? { ...anonymousCaller, appId: app.id } : null
}
