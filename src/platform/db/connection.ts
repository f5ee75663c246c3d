import postgres from '#postgres'
import { Deadlines } from '../process/deadlines.js'
import { boundWaits, type WaitLimits } from './bounded-waits.js'
import { type ColumnTypes, columnTypes } from './column-types.js'
import { parseDatabaseUrl } from './database-url.js'
import { requireOwnDriver } from './driver-check.js'
import type { SilenceLimit } from './session-watch.js'
import { openSockets } from './sockets.js'
import { traceStatements, traceTransaction } from './statement-spans.js'

/**
 * A pool of connections, used as a tagged template: `` await db`select ${fid}::bigint` ``. Every statement is
 * prepared once per connection and pipelined.
 *
 * Pass sets as arrays: `unnest(${fids}::bigint[])` accepts numbers, strings and null. For `bytea[]` and
 * `boolean[]` write `${db.types.byteas(hashes)}`: the driver derives the type of a plain array from its first
 * element and would declare a single value.
 */
export type Database = postgres.Sql<ColumnTypes>

/** The argument of the callback of `db.begin`. */
export type Transaction = postgres.TransactionSql<ColumnTypes>

/** A reserved connection of the pool (`db.reserve()`), for session locks and LISTEN. */
export type Session = postgres.ReservedSql<ColumnTypes>

/** Anything that can run a statement. */
export type Queryable = postgres.ISql<ColumnTypes>

export interface ConnectOptions {
  /** Maximum number of open connections. They are opened on demand. */
  readonly poolSize: number
  /** Shown in `pg_stat_activity`. */
  readonly applicationName: string
  /** Timeout of a statement; 0 is none. By default 30 s, or what `requestTimeoutMs` leaves. */
  readonly statementTimeoutMs?: number
  /**
   * For the pools of requests, each of which must be answered in this time. Statements are cancelled before, a
   * connection is closed when the server has not even cancelled one, and waiting for a connection fails with
   * `unavailable`. Not for statements that lift their timeout.
   */
  readonly requestTimeoutMs?: number
  /**
   * After this time without an answer it is looked whether new connections reach another server; the connection is closed
   * if they do. By default 10 s; not with `requestTimeoutMs`.
   */
  readonly silenceMs?: number
  /** Called with the SQLSTATE of errors. */
  readonly onError?: (state: string) => void
  /** Keeps connections open whose sessions hold locks or are compared; others close when they are idle or old. */
  readonly keepsSessions?: boolean
  /** Makes a span of each statement and transaction of traced work. */
  readonly traces?: boolean
  /**
   * Plans a statement once for all values, as is right for lookups by key. PostgreSQL guesses that a list has ten elements, finds
   * a plan for the three of this time cheaper, and plans it each time.
   */
  readonly plansOnce?: boolean
  /** Receives the text of every statement. For tests: it costs a stack trace each time. */
  readonly onStatement?: (sql: string) => void
}

/**
 * Numbers of connections in use by transactions and sessions, and of callers without one. In pools of requests also of
 * statements without one, or on one behind another caller's slow statement.
 */
export interface PoolUsage {
  readonly size: number
  held: number
  waiting: number
}

const STATEMENT_TIMEOUT_MS = 30_000
/** Longest time that a transaction waits between two statements. */
const MAX_IDLE_MS = 60_000
const CONNECT_TIMEOUT_SECONDS = 3
/** Parts of the time of a request: a statement is cancelled, a silent server is given up, a connection is waited for. */
const REQUEST_SHARES = { statement: 0.8, silence: 0.9, wait: 0.3 }
/** A statement of more time may be one that a lost server will never answer. */
const SILENCE_MS = 10_000
/** Longest wait of a request for a connection. */
const WAIT_LIMIT_MS = 3_000
/** Most statements that wait for a connection of a pool, beside the hundred that the driver sends on each. */
const MAX_WAITING = 1_000
/** An idle connection is closed after it. A pool in use takes its connections in turn, and closes none. */
const IDLE_SECONDS = 60
/** A machine that dies without a word is noticed 10 s after it: Node.js sends ten probes, one a second. */
const KEEPALIVE_SECONDS = 5
/**
 * Minimum and maximum delay between connection attempts. The driver's own maximum is 20 s, for which the
 * server would stay down after its database is back.
 */
const RECONNECT_SECONDS = { first: 0.02, last: 0.25 }

const poolUsages = new WeakMap<Database, () => PoolUsage>()

/**
 * Opens a pool. It connects with the first statement; `db.end()` closes it.
 *
 * @throws DatabaseUrlError
 */
export function connect(url: string, options: ConnectOptions): Database {
  requireOwnDriver(postgres)
  const { onStatement, onError, requestTimeoutMs, keepsSessions = false, traces = false } = options
  const { silenceMs = SILENCE_MS } = options
  const timeoutMs = options.statementTimeoutMs ?? statementTimeoutOf(requestTimeoutMs)
  const address = parseDatabaseUrl(url)
  const connectSeconds = address.connectTimeoutSeconds ?? CONNECT_TIMEOUT_SECONDS
  const driverOptions = {
    // One host: which one of several it is, is decided in `openSockets`.
    host: address.hosts[0]!.host,
    port: address.hosts[0]!.port,
    user: address.user,
    password: address.password,
    database: address.database,
    max: options.poolSize,
    prepare: true,
    fetch_types: false,
    types: columnTypes,
    connect_timeout: connectSeconds,
    keep_alive: KEEPALIVE_SECONDS,
    idle_timeout: keepsSessions ? 0 : IDLE_SECONDS,
    ...(keepsSessions ? { max_lifetime: null } : {}),
    backoff: (attempt: number) => Math.min(RECONNECT_SECONDS.first * 2 ** attempt, RECONNECT_SECONDS.last),
    onnotice: () => {},
    debug: onStatement === undefined ? false : (_connection: number, sql: string) => onStatement(sql),
    ssl: false,
    connection: { application_name: options.applicationName },
  }
  const sockets = openSockets(address, {
    connectLimitMs: connectSeconds * 1000,
    silence: silenceLimit(
      requestTimeoutMs === undefined ? silenceMs : requestTimeoutMs * REQUEST_SHARES.silence,
    ),
    mayBeSilent: requestTimeoutMs === undefined,
    ...(onError === undefined ? {} : { onError }),
    settings: {
      ...sessionSettings(timeoutMs),
      ...(options.plansOnce ? { plan_cache_mode: 'force_generic_plan' } : {}),
      ...address.settings,
    },
  })
  // The driver's types do not have `socket`.
  const pool: Database = postgres({ ...driverOptions, ...({ socket: sockets.open } as object) })
  const { sql, countWaiting } =
    requestTimeoutMs === undefined
      ? { sql: pool, countWaiting: () => 0 }
      : boundWaits(pool, waitLimits(requestTimeoutMs))
  const db = traces ? traceStatements(sql) : sql
  const usage = trackUsage(db, { size: options.poolSize, traces })
  // Statements of other pools may take long.
  const countDelayed = requestTimeoutMs === undefined ? () => 0 : sockets.countDelayed
  // Transactions that wait are among both numbers.
  poolUsages.set(db, () => ({ ...usage, waiting: Math.max(usage.waiting, countWaiting()) + countDelayed() }))
  return db
}

function statementTimeoutOf(requestTimeoutMs: number | undefined): number {
  return requestTimeoutMs === undefined
    ? STATEMENT_TIMEOUT_MS
    : Math.floor(requestTimeoutMs * REQUEST_SHARES.statement)
}

function silenceLimit(limitMs: number): SilenceLimit {
  return { limitMs, deadlines: new Deadlines(limitMs) }
}

function waitLimits(requestTimeoutMs: number): WaitLimits {
  return { limitMs: Math.min(WAIT_LIMIT_MS, requestTimeoutMs * REQUEST_SHARES.wait), max: MAX_WAITING }
}

function sessionSettings(timeoutMs: number): Record<string, string> {
  // A transaction that waits for something else than its statements, such as a merge, is no reason to end it earlier. One of a
  // process that hangs keeps its locks from all others until then, however long statements may be.
  const idleMs = timeoutMs === 0 ? 0 : Math.min(Math.max(timeoutMs, STATEMENT_TIMEOUT_MS), MAX_IDLE_MS)
  return {
    statement_timeout: String(timeoutMs),
    idle_in_transaction_session_timeout: String(idleMs),
    // JIT compilation takes longer than any statement; PostgreSQL often overestimates their cost.
    jit: 'off',
    // A role or a database may have others, on which the results of statements depend. The driver reads times and bytes in one form
    // each, texts in SQL have no escapes, and after waiting for a lock a transaction must see the rows that were committed meanwhile.
    TimeZone: 'UTC',
    DateStyle: 'ISO',
    bytea_output: 'hex',
    extra_float_digits: '1',
    standard_conforming_strings: 'on',
    search_path: 'public',
    default_transaction_isolation: 'read committed',
    lock_timeout: '0',
    // The session of a machine that died without a word ends after 16 s, and its locks with it. The system's default
    // is two hours.
    tcp_keepalives_idle: '10',
    tcp_keepalives_interval: '2',
    tcp_keepalives_count: '3',
  }
}

/** Returns the current usage of a pool of `connect`. */
export function poolUsage(db: Database): Readonly<PoolUsage> {
  return poolUsages.get(db)?.() ?? { size: 0, held: 0, waiting: 0 }
}

type Work = (sql: Transaction) => unknown

/** Counts calls of `begin` and `reserve`, because the driver does not expose its queues. */
function trackUsage(
  db: Database,
  { size, traces }: { readonly size: number; readonly traces: boolean },
): PoolUsage {
  const usage: PoolUsage = { size, held: 0, waiting: 0 }
  const begin = db.begin
  const reserve = db.reserve

  function tracedBegin(modeOrWork: string | Work, work?: Work): Promise<unknown> {
    return traceTransaction((begun) => trackedBegin(modeOrWork, work, begun))
  }

  async function trackedBegin(
    modeOrWork: string | Work,
    work?: Work,
    begun: (sql: Transaction) => Transaction = (sql) => sql,
  ): Promise<unknown> {
    const mode = typeof modeOrWork === 'string' ? modeOrWork : ''
    const run = typeof modeOrWork === 'string' ? work : modeOrWork
    let started = false
    usage.waiting += 1
    try {
      return await begin(mode, (sql) => {
        started = true
        usage.waiting -= 1
        usage.held += 1
        return run?.(begun(sql))
      })
    } finally {
      if (started) usage.held -= 1
      else usage.waiting -= 1
    }
  }

  async function trackedReserve(): Promise<Session> {
    usage.waiting += 1
    // Fails as a statement does where no connection can be had; the reservation then finds one open.
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

  Object.assign(db, { begin: traces ? tracedBegin : trackedBegin, reserve: trackedReserve })
  return usage
}
