import { connect, type Database } from '../platform/db/connection.js'
import { POOL_END_SECONDS } from '../platform/db/pool-end.js'
import { roles as allRoles, type Role, rendersViews } from '../platform/process/roles.js'

/**
 * The connections of a process, by use. Their sizes add up to `DATABASE_POOL`, which is the truth: nothing else of the
 * process connects, but for a moment at its start (migrations).
 */
export interface Connections {
  /** Reads of the APIs and of the event log. */
  readonly read: Database
  /**
   * Lookups by key for views, all short. Few connections with many statements under way wake fewer processes: a
   * channel page with a viewer took 0.36 ms of the server's CPU by 2 connections and 0.44 to 0.67 by 10, on 2 cores.
   */
  readonly views: Database
  /** Merges and writes of requests: a slow read never makes a merge wait for a connection. */
  readonly write: Database
  /**
   * Consumers, deliveries, campaigns, accounts and the crawler. A transaction here may wait for a merge, so the two
   * must not share connections.
   */
  readonly work: Database
  /** Upstreams and chains, which wait for others most of the time. */
  readonly sync: Database
  /** One connection that holds the session locks of this process: they are freed when it dies. */
  readonly locks: Database
  /** One connection for all LISTEN. */
  readonly listener: Database
  end(): Promise<void>
}

/** How many connections each pool has. */
export type PoolSizes = Readonly<Record<Exclude<keyof Connections, 'end'>, number>> & {
  /** The connection of the thread that computes scores. */
  readonly score: number
}

/** To select an audience of ten million users takes most of a minute. */
const WORK_TIMEOUT_MS = 600_000
/** A writer for each shard, and one for maintenance and lookups. */
export const SPARE_WRITERS = 1
const DEFAULT_EXTRA = 5
/** Weights by which the connections beyond the fixed sizes are shared out; each used pool has at least the second number. */
const SHARES = {
  read: { weight: 5, least: 2, roles: allRoles },
  work: { weight: 4, least: 3, roles: ['api', 'worker'] },
  sync: { weight: 3, least: 3, roles: ['sync'] },
} as const satisfies Record<string, { weight: number; least: number; roles: readonly Role[] }>
type SharedPool = keyof typeof SHARES

/** The fewest connections with which these roles work. */
export function fewestConnections(roles: ReadonlySet<Role>, shards: number): number {
  const shared = usedPools(roles).reduce((sum, name) => sum + SHARES[name].least, 0)
  return fixedTotal(fixedSizes(roles, shards)) + shared
}

/**
 * The connections of a process unless it is told: its fewest, and some for requests at the same time. Two processes with
 * the role api, two with worker and one with sync have 80, of the 97 that PostgreSQL gives by default.
 */
export function defaultConnections(roles: ReadonlySet<Role>, shards: number): number {
  return fewestConnections(roles, shards) + DEFAULT_EXTRA
}

/**
 * Splits a budget by use. The sizes add up to the budget.
 *
 * @param budget At least `fewestConnections`.
 */
export function splitConnections(budget: number, roles: ReadonlySet<Role>, shards: number): PoolSizes {
  const fixed = fixedSizes(roles, shards)
  const used = usedPools(roles)
  const sizes = { read: 0, work: 0, sync: 0 }
  for (const name of used) sizes[name] = SHARES[name].least
  let left = budget - fewestConnections(roles, shards)
  // One at a time to the pool that is furthest below its share.
  for (; left > 0; left -= 1) {
    const [next] = [...used].sort((a, b) => sizes[a] / SHARES[a].weight - sizes[b] / SHARES[b].weight)
    sizes[next!] += 1
  }
  return { ...fixed, ...sizes }
}

function fixedSizes(roles: ReadonlySet<Role>, shards: number) {
  return {
    locks: 1,
    listener: 1,
    views: rendersViews(roles) ? 2 : 0,
    write: shards + SPARE_WRITERS,
    score: roles.has('worker') ? 1 : 0,
  }
}

function fixedTotal(fixed: Readonly<Record<string, number>>): number {
  return Object.values(fixed).reduce((sum, size) => sum + size, 0)
}

function usedPools(roles: ReadonlySet<Role>): SharedPool[] {
  return (Object.keys(SHARES) as SharedPool[]).filter((name) =>
    SHARES[name].roles.some((role) => roles.has(role)),
  )
}

/** Options for opening the pools. */
export interface OpenOptions {
  /** The time in which each request must be answered, of a process that answers any. */
  readonly requestTimeoutMs?: number | undefined
  /** Called with the SQLSTATE of errors. */
  readonly onError?: (state: string) => void
  /** Makes spans of the statements of traced work. */
  readonly traces?: boolean
}

/** A process without requests merges and reads in batches: statements have 32 s. */
const BATCH_TIMEOUT_MS = 40_000

/** Opens the pools. Connections are made when they are first needed. */
export function openConnections(url: string, sizes: PoolSizes, options: OpenOptions = {}): Connections {
  const { requestTimeoutMs = BATCH_TIMEOUT_MS, onError, traces = false } = options
  const servesRequests = new Set(['read', 'views', 'write'])
  const open = (use: Exclude<keyof Connections, 'end'>) =>
    connect(url, {
      poolSize: Math.max(1, sizes[use]),
      applicationName: `plaza ${use}`,
      ...(servesRequests.has(use) ? { requestTimeoutMs } : {}),
      ...(onError === undefined ? {} : { onError }),
      keepsSessions: use === 'locks',
      traces,
      // Merges choose by the size of their batch: `hub/merge/merge.ts`.
      plansOnce: use === 'views',
      ...(use === 'work' ? { statementTimeoutMs: WORK_TIMEOUT_MS } : {}),
    })
  const pools = {
    read: open('read'),
    views: open('views'),
    write: open('write'),
    work: open('work'),
    sync: open('sync'),
    locks: open('locks'),
    listener: open('listener'),
  }
  return {
    ...pools,
    async end() {
      await Promise.all(Object.values(pools).map((pool) => pool.end({ timeout: POOL_END_SECONDS })))
    },
  }
}
