import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'
import { type Database, poolUsage } from './db/connection.js'

/** The metrics of this process. They are created once and passed on; there is no global registry. */
export interface Metrics {
  readonly registry: Registry
  readonly requests: Histogram<'method' | 'route' | 'status'>
  readonly merges: Counter<'type' | 'outcome'>
}

/** From a cache hit (under a millisecond) to the statement timeout. */
const LATENCY_SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30]

/** Creates the registry with the process metrics: CPU, memory, event loop lag, garbage collection. */
export function createMetrics(): Metrics {
  const registry = new Registry()
  const registers = [registry]
  collectDefaultMetrics({ register: registry })
  return {
    registry,
    requests: new Histogram({
      name: 'plaza_http_request_duration_seconds',
      help: 'Latency of HTTP requests by route and status',
      labelNames: ['method', 'route', 'status'],
      buckets: LATENCY_SECONDS,
      registers,
    }),
    merges: new Counter({
      name: 'plaza_merges_total',
      help: 'Submitted messages by type and outcome',
      labelNames: ['type', 'outcome'],
      registers,
    }),
  }
}

/** Adds and returns the metrics of the hub's gRPC server. */
export function createGrpcMetrics({ registry }: Metrics) {
  const registers = [registry]
  const calls = new Histogram({
    name: 'plaza_grpc_call_duration_seconds',
    help: 'Latency of gRPC calls by method and status number',
    labelNames: ['method', 'status'],
    buckets: LATENCY_SECONDS,
    registers,
  })
  const subscribers = new Gauge({
    name: 'plaza_grpc_subscribers',
    help: 'Connected gRPC subscribers of the event log',
    registers,
  })
  const events = new Counter({
    name: 'plaza_grpc_events_sent_total',
    help: 'Events sent to gRPC subscribers',
    registers,
  })
  return {
    /** A call ended: the name of the service definition, and the number of its status. */
    called: (method: string, status: number, seconds: number) => calls.observe({ method, status }, seconds),
    subscribed: (count: number) => subscribers.set(count),
    eventsSent: (count: number) => events.inc(count),
  }
}

/** Adds and returns the count of reads of feeds: from the window of recent casts, or for a reason from the tables. */
export function countFeedReads({ registry }: Metrics): (feed: string, reason: string | null) => void {
  const reads = new Counter({
    name: 'plaza_feed_reads_total',
    help: 'Reads of feeds: a hit is read from the window of recent casts, a miss for a reason from the tables',
    labelNames: ['feed', 'reason', 'result'],
    registers: [registry],
  })
  return (feed, reason) => reads.inc({ feed, reason: reason ?? '', result: reason === null ? 'hit' : 'miss' })
}

/** Adds metrics of the connection pools. */
export function observePools(metrics: Metrics, pools: Readonly<Record<string, Database>>): void {
  new Gauge({
    name: 'plaza_db_pool_connections',
    help: 'Connections in use, waiting callers, and pool size',
    labelNames: ['pool', 'state'],
    registers: [metrics.registry],
    collect() {
      for (const [pool, db] of Object.entries(pools)) {
        const { held, waiting, size } = poolUsage(db)
        this.set({ pool, state: 'held' }, held)
        this.set({ pool, state: 'waiting' }, waiting)
        this.set({ pool, state: 'size' }, size)
      }
    },
  })
}

/** Caches of a process: look-ups so far by cache and result, and the entries and bytes of those that count bytes. */
export interface CacheUsage {
  readonly lookups: Readonly<Record<string, Readonly<Record<string, number>>>>
  readonly sizes: Readonly<Record<string, { readonly entries: number; readonly bytes: number }>>
}

/** Adds metrics of the caches. */
export function observeCaches(metrics: Metrics, read: () => CacheUsage): void {
  const registers = [metrics.registry]
  new Counter({
    name: 'plaza_cache_lookups_total',
    help: 'Look-ups in caches by cache and result',
    labelNames: ['cache', 'result'],
    registers,
    collect() {
      this.reset()
      for (const [cache, results] of Object.entries(read().lookups)) {
        for (const [result, count] of Object.entries(results)) this.inc({ cache, result }, count)
      }
    },
  })
  new Gauge({
    name: 'plaza_cache_entries',
    help: 'Entries of caches that are bounded by bytes',
    labelNames: ['cache'],
    registers,
    collect() {
      for (const [cache, { entries }] of Object.entries(read().sizes)) this.set({ cache }, entries)
    },
  })
  new Gauge({
    name: 'plaza_cache_bytes',
    help: 'Bytes of caches that are bounded by bytes',
    labelNames: ['cache'],
    registers,
    collect() {
      for (const [cache, { bytes }] of Object.entries(read().sizes)) this.set({ cache }, bytes)
    },
  })
}

/** Adds whether the window of recent casts is filled. Until it is, feeds are read from the tables. */
export function observeWindow({ registry }: Metrics, isFilled: () => boolean): void {
  new Gauge({
    name: 'plaza_recent_window_filled',
    help: '1 when the window of recent casts holds all that it may, 0 while it is filled',
    registers: [registry],
    collect() {
      this.set(isFilled() ? 1 : 0)
    },
  })
}

/** Adds the lag of event log consumers. It is absent while the database is down. */
export function observeConsumers(
  metrics: Metrics,
  read: () => Promise<readonly { readonly name: string; readonly shard: number; readonly blocks: number }[]>,
): void {
  new Gauge({
    name: 'plaza_consumer_lag_blocks',
    help: 'Blocks of the event log that a consumer has not processed, by shard',
    labelNames: ['consumer', 'shard'],
    registers: [metrics.registry],
    async collect() {
      this.reset()
      for (const { name, shard, blocks } of await read().catch(() => [])) {
        this.set({ consumer: name, shard }, blocks)
      }
    },
  })
}

/** Adds and returns the count of readers whose place was lost when the log went back. */
export function countLogResets({ registry }: Metrics): (reader: string) => void {
  const resets = new Counter({
    name: 'plaza_log_resets_total',
    help: 'Readers of the event log whose place was lost when the log went back',
    labelNames: ['reader'],
    registers: [registry],
  })
  return (reader) => resets.inc({ reader })
}

/** Adds the number of accepted messages that are not in the event log. */
export function observeEventLag(metrics: Metrics, lag: () => number): void {
  new Gauge({
    name: 'plaza_event_lag_messages',
    help: 'Accepted messages that are not in the event log yet',
    registers: [metrics.registry],
    collect() {
      this.set(lag())
    },
  })
}

/** Adds the heavy requests that run, send and wait. Returns the function that counts refused ones. */
export function observeWork(
  { registry }: Metrics,
  read: () => Readonly<Record<string, Readonly<Record<'running' | 'sending' | 'waiting', number>>>>,
): (lane: string, reason: string) => void {
  const registers = [registry]
  new Gauge({
    name: 'plaza_heavy_requests',
    help: 'Heavy requests by lane (reads, writes, streams that catch up) and state (running, sending, waiting)',
    labelNames: ['lane', 'state'],
    registers,
    collect() {
      for (const [lane, states] of Object.entries(read())) {
        for (const [state, count] of Object.entries(states)) this.set({ lane, state }, count)
      }
    },
  })
  const refused = new Counter({
    name: 'plaza_heavy_requests_refused_total',
    help: 'Refused heavy requests by lane and reason: the budget of the caller, or the queue of the gate',
    labelNames: ['lane', 'reason'],
    registers,
  })
  return (lane, reason) => refused.inc({ lane, reason })
}
