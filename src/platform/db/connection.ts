import postgres from 'postgres'
import { type ColumnTypes, columnTypes } from './column-types.js'

/**
 * A pool of connections, used as a tagged template: `` await db`select ${fid}::bigint` ``. Every statement
 * is prepared once per connection and pipelined.
 *
 * Sets go in as arrays: `unnest(${fids}::bigint[])` takes numbers, strings and null as they are. For
 * `bytea[]` and `boolean[]` write `${db.types.byteas(hashes)}`: the driver judges a bare array by its first
 * element and would declare it a single value.
 */
export type Database = postgres.Sql<ColumnTypes>

/** What `db.begin` hands to its callback. */
export type Transaction = postgres.TransactionSql<ColumnTypes>

/** One connection taken out of the pool (`db.reserve()`), for session locks and LISTEN. */
export type Session = postgres.ReservedSql<ColumnTypes>

/** Anything that a statement can be run on. */
export type Queryable = postgres.ISql<ColumnTypes>

export interface ConnectOptions {
  /** Most connections that are open at once. They are opened when first needed. */
  readonly poolSize: number
  /** Shown in `pg_stat_activity`. */
  readonly applicationName: string
  /** How long a statement may run; 0 is without end. */
  readonly statementTimeoutMs?: number
  /** Called with the text of every statement that is sent. For tests: it costs a stack trace each time. */
  readonly onStatement?: (sql: string) => void
}

/** How many connections are held by transactions and sessions, and how many more are waiting for one. */
export interface PoolUsage {
  readonly size: number
  held: number
  waiting: number
}

const STATEMENT_TIMEOUT_MS = 30_000
const CONNECT_TIMEOUT_SECONDS = 5
/** At least this long between attempts to connect, growing to the second number. The driver's own schedule
 * grows to 20 s, which would leave the server down for that long after its database is back. */
const RECONNECT_SECONDS = { first: 0.02, last: 0.25 }

const poolUsages = new WeakMap<Database, PoolUsage>()

/** Opens a pool. Nothing is sent before the first statement; `db.end()` closes it. */
export function connect(url: string, options: ConnectOptions): Database {
  const { onStatement } = options
  const timeoutMs = options.statementTimeoutMs ?? STATEMENT_TIMEOUT_MS
  const db: Database = postgres(url, {
    max: options.poolSize,
    prepare: true,
    fetch_types: false,
    types: columnTypes,
    connect_timeout: CONNECT_TIMEOUT_SECONDS,
    backoff: (attempt) => Math.min(RECONNECT_SECONDS.first * 2 ** attempt, RECONNECT_SECONDS.last),
    onnotice: () => {},
    debug: onStatement === undefined ? false : (_connection, sql) => onStatement(sql),
    connection: {
      application_name: options.applicationName,
      statement_timeout: timeoutMs,
      idle_in_transaction_session_timeout: timeoutMs,
      // Compiling a plan takes longer than any of our statements; how much it costs is often overestimated.
      jit: 'off',
      TimeZone: 'UTC',
    },
  })
  poolUsages.set(db, trackUsage(db, options.poolSize))
  return db
}

/** Live numbers of a pool that `connect` opened. */
export function poolUsage(db: Database): Readonly<PoolUsage> {
  return poolUsages.get(db) ?? { size: 0, held: 0, waiting: 0 }
}

type Work = (sql: Transaction) => unknown

/** The driver keeps its queues to itself, so `begin` and `reserve` are counted at the door. */
function trackUsage(db: Database, size: number): PoolUsage {
  const usage: PoolUsage = { size, held: 0, waiting: 0 }
  const begin = db.begin
  const reserve = db.reserve

  async function trackedBegin(modeOrWork: string | Work, work?: Work): Promise<unknown> {
    const mode = typeof modeOrWork === 'string' ? modeOrWork : ''
    const run = typeof modeOrWork === 'string' ? work : modeOrWork
    let started = false
    usage.waiting += 1
    try {
      return await begin(mode, (sql) => {
        started = true
        usage.waiting -= 1
        usage.held += 1
        return run?.(sql)
      })
    } finally {
      if (started) usage.held -= 1
      else usage.waiting -= 1
    }
  }

  async function trackedReserve(): Promise<Session> {
    usage.waiting += 1
    // The driver never hands over a connection that it opens for a reservation: its connection is made for
    // the query that reads the types, which we have switched off. After a statement one is open.
    const session = await db`select 1`.then(reserve).finally(() => {
      usage.waiting -= 1
    })
    usage.held += 1
    const release = session.release
    let released = false
    session.release = () => {
      if (released) return
      released = true
      usage.held -= 1
      release()
    }
    return session
  }

  Object.assign(db, { begin: trackedBegin, reserve: trackedReserve })
  return usage
}
