import type postgres from '#postgres'
import type { ColumnTypes } from './column-types.js'
import { NoConnectionError } from './connection-errors.js'

/** The members of the driver's queries that it does not declare. */
interface DriverQuery {
  /** Gives the query to a connection, or to the queue of the pool. */
  handler: ((query: DriverQuery) => unknown) & { readonly debug?: unknown }
  /** The connection that has the query; null in the queue, and while its connection is being opened. */
  readonly state: unknown
  strings: readonly string[]
  args: readonly unknown[]
  readonly options: { onexecute?: unknown; simple?: boolean }
  cancelled: unknown
  cancel(): unknown
  reject(error: Error): void
}

type Sql = postgres.Sql<ColumnTypes>

/** How long statements and transactions may wait for a connection, and how many of them at once. */
export interface WaitLimits {
  readonly limitMs: number
  readonly max: number
}

interface BoundedSql {
  readonly sql: Sql
  /** Counts the statements and transactions that wait for a connection. */
  readonly countWaiting: () => number
}

/**
 * Bounds the time that statements and transactions of a pool wait for a connection, and their number; beyond it they fail
 * with `unavailable`. A statement that gets a connection at once costs a property; only one that waits is remembered.
 */
export function boundWaits(sql: Sql, { limitMs, max }: WaitLimits): BoundedSql {
  const timeout = `no connection to the database became free in ${limitMs / 1000} s`
  /** In the order of their deadlines. Some have got a connection since. */
  const waiting = new Map<DriverQuery, number>()
  let isTimed = false

  function expireIn(delayMs: number): void {
    isTimed = true
    // Does not keep a process that has stopped: a statement that waits has a connection, or one that is being opened.
    setTimeout(expire, delayMs).unref()
  }

  function expire(): void {
    isTimed = false
    const now = performance.now()
    for (const [query, deadline] of waiting) {
      if (query.state === null && deadline > now) break
      waiting.delete(query)
      if (query.state === null) abandon(query, timeout)
    }
    const [next] = waiting.values()
    if (next !== undefined) expireIn(next - now)
  }

  /** Whether as many wait as may. Forgets those that do not wait any more only when it has to. */
  function isFull(): boolean {
    if (waiting.size < max) return false
    for (const query of waiting.keys()) if (query.state !== null) waiting.delete(query)
    return waiting.size >= max
  }

  function watched(handler: DriverQuery['handler']): DriverQuery['handler'] {
    const watching = (query: DriverQuery) => {
      handler(query)
      if (query.state !== null || query.cancelled) return
      if (isFull()) {
        abandon(query, `${max} statements are waiting for a connection to the database already`)
        return
      }
      waiting.set(query, performance.now() + limitMs)
      forgetRejected(waiting, query)
      if (!isTimed) expireIn(limitMs)
    }
    return Object.assign(watching, { debug: handler.debug })
  }

  let known: { readonly handler: unknown; readonly watching: DriverQuery['handler'] } | null = null

  /** Also of each fragment, of which a statement may have fifty: those of the driver's tag share one handler. */
  function watch<Query>(query: Query): Query {
    const own = query as unknown as DriverQuery
    const { handler } = own
    // What is no query: an identifier, or values to insert.
    if (typeof handler !== 'function') return query
    if (known?.handler !== handler) known = { handler, watching: watched(handler) }
    own.handler = known.watching
    return query
  }

  const unsafe = sql.unsafe
  // The driver's `begin` takes it from here, too.
  const bounded = { unsafe: (...args: Parameters<typeof unsafe>) => watch(unsafe(...args)) }
  Object.assign(sql, bounded)
  const tag = (...args: Parameters<typeof sql>) => watch(sql(...args))
  return {
    sql: Object.assign(tag, sql) as unknown as Sql,
    countWaiting: () => [...waiting.keys()].filter(({ state }) => state === null).length,
  }
}

/** Forgets a statement when it is rejected: one whose connection could not be opened waits no more. */
function forgetRejected(waiting: Map<DriverQuery, number>, query: DriverQuery): void {
  const { reject } = query
  query.reject = (error) => {
    waiting.delete(query)
    Reflect.apply(reject, query, [error])
  }
}

/** Takes a query out of the queue of its pool. */
function abandon(query: DriverQuery, reason: string): void {
  query.reject(new NoConnectionError(reason))
  query.cancel()
  // The connection that is being opened for a query still runs it, and would never be used if it refused. It runs
  // something else: the caller has been told that nothing was done.
  query.cancelled = null
  query.strings = ['select 1']
  query.args = []
  delete query.options.onexecute
}
