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
/** Use that is older than this when it is told was made while the database was away or hung. */
const MAX_EXCHANGE_MS = 5_000
/**
 * Buckets that a key may owe: with one, N processes that each let a burst through gave it up to N / 2 times its limit. A key
 * whose limit was lowered waits for so many windows at most.
 */
const MAX_DEBT_BUCKETS = 60

/** Use of a key since the last exchange. */
interface Use {
  limit: number
  /** Requests; negative when more were given back than used. */
  count: number
  /** Unix milliseconds of the first. */
  sinceMs: number
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
  const { windowMs } = limit
  let used = new Map<number, Use>()

  function take(key: number, ownLimit?: number | null) {
    const status = counter.take(key, ownLimit)
    if (status !== null && status.retryAfterSeconds === 0) {
      addUse(key, { limit: status.limit, count: 1, sinceMs: clock() })
    }
    return status
  }

  function giveBack(key: number, ownLimit?: number | null): void {
    counter.giveBack(key)
    const size = ownLimit ?? defaultLimit
    if (size !== 0) addUse(key, { limit: size, count: -1, sinceMs: clock() })
  }

  function addUse(key: number, { limit, count, sinceMs }: Use): void {
    const use = used.get(key)
    if (use === undefined) used.set(key, { limit, count, sinceMs })
    else {
      use.limit = limit
      use.count += count
      use.sinceMs = Math.min(use.sinceMs, sinceMs)
    }
  }

  async function share(db: Database): Promise<void> {
    if (used.size === 0) return
    const shared = used
    used = new Map()
    try {
      const spent = [...shared].map(([key, use]) => ({
        key,
        size: use.limit,
        cost: costOf(use, windowMs, clock()),
      }))
      const rows = await spend(db, limit.scope, spent, windowMs / 1000)
      for (const { key, tokens } of rows) {
        const since = used.get(key)
        counter.setTokens(key, since === undefined ? tokens : tokens - costOf(since, windowMs, clock()))
      }
    } catch (error) {
      for (const [key, use] of shared) addUse(key, use)
      throw error
    }
  }

  return {
    counter: { ...counter, take, giveBack },
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

/**
 * Returns the cost of a use in the shared bucket. While the database is away every process counts for itself: then it is
 * what exceeds the refill of that time, which the shared bucket, being full, could not take up.
 */
function costOf({ limit, count, sinceMs }: Use, windowMs: number, nowMs: number): number {
  const ageMs = nowMs - sinceMs
  if (count <= 0 || ageMs <= MAX_EXCHANGE_MS) return count
  return Math.max(0, count - Math.floor((ageMs * limit) / windowMs))
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

/** Cost of the use of a key, and the size of its bucket. */
interface Spent {
  readonly key: number
  readonly size: number
  readonly cost: number
}

/** Takes from the shared buckets and returns what is left in them: at least minus `MAX_DEBT_BUCKETS`. */
async function spend(
  db: Database,
  scope: string,
  spent: readonly Spent[],
  windowSeconds: number,
): Promise<{ key: number; tokens: number }[]> {
  // In one order, so that two processes do not wait for each other.
  const entries = spent.toSorted((a, b) => a.key - b.key)
  return await db<{ key: number; tokens: number }[]>`
    insert into app.request_budgets as b (scope, key, size, tokens, at)
    select ${scope}, key, size, size - cost, now()
    from unnest(
      ${entries.map(({ key }) => key)}::bigint[],
      ${entries.map(({ size }) => size)}::integer[],
      ${entries.map(({ cost }) => cost)}::integer[]
    ) as spent (key, size, cost)
    on conflict (scope, key) do update
    set
      size = excluded.size,
      tokens = greatest(
        -${MAX_DEBT_BUCKETS}::float8 * excluded.size,
        least(
          excluded.size,
          least(
            excluded.size,
            b.tokens + greatest(0, extract(epoch from now() - b.at))::float8 * excluded.size / ${windowSeconds}::float8
          ) - (excluded.size - excluded.tokens)
        )
      ),
      at = now()
    returning key, tokens
  `
}
