import type { Database } from '../db/connection.js'
import { reportFirstFailure } from '../log/first-failure.js'
import type { Log } from '../log/log.js'
import { pause } from '../process/pause.js'
import { type Counter, createCounter } from './counter.js'
import type { RateLimit } from './limits.js'

/**
 * A counter whose budgets hold for all processes together. Each counts for itself and tells the others once a second, in one
 * statement for all keys that were used, so a request waits for nothing. Until then a process knows only its own share: N
 * processes together let through at most the requests of N first seconds too many, and the buckets below 0 take them back.
 *
 * Rejected: a row that every request locks, which costs each 1.5 ms and one database all of them; shares handed out ahead,
 * with which a key that meets one process only has a part of its limit.
 */
export interface SharedBudget {
  readonly counter: Counter<number>
  /** Tells the other processes, and hears from them, until it is stopped. */
  start(db: Database, log: Log): () => Promise<void>
  /** Tells what was counted since the last time, and takes over what is left. */
  share(db: Database): Promise<void>
}

const SHARE_INTERVAL_MS = 1_000

/** Use of a key since the last exchange. */
interface Use {
  limit: number
  count: number
}

/**
 * Creates the shared counter of a limit: a token bucket for each API key.
 *
 * @param clock Unix milliseconds.
 */
export function createSharedBudget(
  limit: RateLimit & { readonly algorithm: 'token bucket' },
  clock: () => number,
  defaultLimit: number,
): SharedBudget {
  const counter = createCounter<number>(limit, clock, defaultLimit)
  const windowSeconds = limit.windowMs / 1000
  let used = new Map<number, Use>()

  function take(key: number, ownLimit?: number | null) {
    const status = counter.take(key, ownLimit)
    if (status !== null && status.retryAfterSeconds === 0) addUse(key, { limit: status.limit, count: 1 })
    return status
  }

  function addUse(key: number, { limit, count }: Use): void {
    const use = used.get(key)
    if (use === undefined) used.set(key, { limit, count })
    else {
      use.limit = limit
      use.count += count
    }
  }

  async function share(db: Database): Promise<void> {
    if (used.size === 0) return
    const shared = used
    used = new Map()
    try {
      const rows = await spend(db, limit.scope, shared, windowSeconds)
      for (const { key, tokens } of rows) counter.setTokens(key, tokens - (used.get(key)?.count ?? 0))
    } catch (error) {
      for (const [key, use] of shared) addUse(key, use)
      throw error
    }
  }

  return {
    counter: { ...counter, take },
    share,
    start(db, log) {
      const stopping = new AbortController()
      const sharing = keepSharing(() => share(db), log, stopping.signal)
      return async () => {
        stopping.abort()
        await sharing
        await share(db).catch(() => {})
      }
    },
  }
}

async function keepSharing(share: () => Promise<void>, log: Log, signal: AbortSignal): Promise<void> {
  // While the database is away every process counts for itself.
  const tryToShare = reportFirstFailure(share, (error) =>
    log.warn({ err: error }, 'rate limits could not be shared with other processes'),
  )
  while (!signal.aborted) {
    await pause(SHARE_INTERVAL_MS, signal)
    await tryToShare()
  }
}

/** Takes from the shared buckets and returns what is left in them, at least minus one bucket. */
async function spend(
  db: Database,
  scope: string,
  used: ReadonlyMap<number, Use>,
  windowSeconds: number,
): Promise<{ key: number; tokens: number }[]> {
  // In one order, so that two processes do not wait for each other.
  const entries = [...used].sort(([a], [b]) => a - b)
  return await db<{ key: number; tokens: number }[]>`
    insert into app.request_budgets as b (scope, key, size, tokens, at)
    select ${scope}, key, size, size - used, now()
    from unnest(
      ${entries.map(([key]) => key)}::bigint[],
      ${entries.map(([, { limit }]) => limit)}::integer[],
      ${entries.map(([, { count }]) => count)}::integer[]
    ) as spent (key, size, used)
    on conflict (scope, key) do update
    set
      size = excluded.size,
      tokens = greatest(
        -excluded.size,
        least(
          excluded.size,
          b.tokens + greatest(0, extract(epoch from now() - b.at))::float8 * excluded.size / ${windowSeconds}::float8
        ) - (excluded.size - excluded.tokens)
      ),
      at = now()
    returning key, tokens
  `
}
