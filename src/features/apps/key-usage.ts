import type { UsageCounter } from '../../api/key-usage.js'
import type { Database } from '../../platform/db/connection.js'
import { DAY_MS } from '../../platform/durations.js'

/** Requests of a key to an operation since the last flush. */
interface Counts {
  requests: number
  refusals: number
}

type CountsByOperation = Map<string, Counts>

const FIRST_REFUSED_STATUS = 400
/** Days that are kept, today among them. */
export const USAGE_DAYS = 30

/**
 * Counts requests by key and operation in memory: two lookups in maps for each; 0.6 µs a request with the hook that calls it. `flush` writes what was counted
 * since the last time, in one statement for all keys.
 */
export class KeyUsage implements UsageCounter {
  readonly #clock: () => number
  #keys = new Map<number, CountsByOperation>()

  /** @param clock Unix milliseconds. */
  constructor(clock: () => number) {
    this.#clock = clock
  }

  count(keyId: number, operation: string, status: number): void {
    // Requests without a key, and those of admins, belong to no key.
    if (keyId > 0)
      this.#add(keyId, operation, { requests: 1, refusals: status < FIRST_REFUSED_STATUS ? 0 : 1 })
  }

  /** Adds the counts to those of today. What could not be written is written the next time. */
  async flush(db: Database): Promise<void> {
    const rows = [...this.#keys].flatMap(([keyId, operations]) =>
      [...operations].map(([operation, counts]) => ({ keyId, operation, ...counts })),
    )
    if (rows.length === 0) return
    this.#keys = new Map()
    try {
      await db`
        insert into apps.usage as u (key_id, day, operation, requests, refusals)
        select key_id, ${dayOf(this.#clock())}::date, operation, requests, refusals
        from unnest(
          ${rows.map(({ keyId }) => keyId)}::integer[], ${db.types.texts(rows.map(({ operation }) => operation))}::text[],
          ${rows.map(({ requests }) => requests)}::bigint[], ${rows.map(({ refusals }) => refusals)}::bigint[]
        ) as counted (key_id, operation, requests, refusals)
        -- Processes that flush at the same time lock rows in one order.
        order by key_id, operation
        on conflict (key_id, day, operation) do update
        set requests = u.requests + excluded.requests, refusals = u.refusals + excluded.refusals`
    } catch (error) {
      for (const { keyId, operation, ...counts } of rows) this.#add(keyId, operation, counts)
      throw error
    }
  }

  #add(keyId: number, operation: string, { requests, refusals }: Counts): void {
    let operations = this.#keys.get(keyId)
    if (operations === undefined) {
      operations = new Map()
      this.#keys.set(keyId, operations)
    }
    const counts = operations.get(operation)
    if (counts === undefined) operations.set(operation, { requests, refusals })
    else {
      counts.requests += requests
      counts.refusals += refusals
    }
  }
}

/** The UTC day of a time in Unix milliseconds: `2026-05-01`. */
function dayOf(ms: number): string {
  return new Date(ms).toISOString().slice(0, 10)
}

/** Deletes the counts of days that are no longer shown. */
export async function deleteOldUsage(db: Database, nowMs: number): Promise<void> {
  await db`delete from apps.usage where day <= ${dayOf(nowMs - USAGE_DAYS * DAY_MS)}::date`
}

/** Requests of an app. */
export interface AppUsage {
  /** Every day of the period, oldest first. */
  readonly days: readonly (Counts & { readonly day: string })[]
  /** By key and operation, most requests first. */
  readonly operations: readonly (Counts & {
    readonly keyId: number
    readonly prefix: string
    readonly operation: string
  })[]
  /** Whether `operations` has all of them. */
  readonly complete: boolean
}

/** Most pairs of a key and an operation that are listed. */
const MAX_LISTED = 500

/** Reads the requests of an app in the last days, today among them. */
export async function readAppUsage(
  db: Database,
  appId: string,
  { days, nowMs }: { readonly days: number; readonly nowMs: number },
): Promise<AppUsage> {
  const last = dayOf(nowMs)
  const first = dayOf(nowMs - (days - 1) * DAY_MS)
  const [byDay, byOperation] = await Promise.all([
    db<AppUsage['days'][number][]>`
      select d.day::date::text as day, coalesce(sum(u.requests), 0)::bigint as requests,
        coalesce(sum(u.refusals), 0)::bigint as refusals
      from generate_series(${first}::date, ${last}::date, interval '1 day') as d (day)
      left join (
        select day, requests, refusals from apps.usage
        where key_id in (select id from apps.api_keys where app_id = ${appId})
      ) u on u.day = d.day::date
      group by d.day
      order by d.day`,
    db<AppUsage['operations'][number][]>`
      select k.id as "keyId", k.prefix, u.operation, sum(u.requests)::bigint as requests,
        sum(u.refusals)::bigint as refusals
      from apps.api_keys k
      join apps.usage u on u.key_id = k.id
      where k.app_id = ${appId} and u.day between ${first}::date and ${last}::date
      group by k.id, k.prefix, u.operation
      order by requests desc, k.id, u.operation
      limit ${MAX_LISTED + 1}`,
  ])
  return {
    days: byDay,
    operations: byOperation.slice(0, MAX_LISTED),
    complete: byOperation.length <= MAX_LISTED,
  }
}
