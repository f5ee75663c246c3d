import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'
import { type Database, poolUsage } from './db/connection.js'

/** What this process counts. Made once by `main` and passed to whoever counts; there is no global. */
export interface Metrics {
  readonly registry: Registry
  readonly requests: Histogram<'method' | 'route' | 'status'>
  readonly merges: Counter<'type' | 'outcome'>
}

/** From a hit in memory (under a millisecond) to the statement timeout. */
const LATENCY_SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30]

/** Makes the registry. It includes the process's own numbers: CPU, memory, event loop lag, garbage collection. */
export function createMetrics(): Metrics {
  const registry = new Registry()
  const registers = [registry]
  collectDefaultMetrics({ register: registry })
  return {
    registry,
    requests: new Histogram({
      name: 'plaza_http_request_duration_seconds',
      help: 'HTTP requests by route and status, with their latency',
      labelNames: ['method', 'route', 'status'],
      buckets: LATENCY_SECONDS,
      registers,
    }),
    merges: new Counter({
      name: 'plaza_merges_total',
      help: 'Messages that were submitted, by type and by what became of them',
      labelNames: ['type', 'outcome'],
      registers,
    }),
  }
}

/** Adds the numbers of the hub over gRPC, and says who counts them. */
export function createGrpcMetrics({ registry }: Metrics) {
  const registers = [registry]
  const calls = new Histogram({
    name: 'plaza_grpc_call_duration_seconds',
    help: 'Calls of the hub over gRPC by method and status number, with their latency',
    labelNames: ['method', 'status'],
    buckets: LATENCY_SECONDS,
    registers,
  })
  const subscribers = new Gauge({
    name: 'plaza_grpc_subscribers',
    help: 'Subscribers that follow the event log over gRPC',
    registers,
  })
  const events = new Counter({
    name: 'plaza_grpc_events_sent_total',
    help: 'Events that were sent to subscribers over gRPC',
    registers,
  })
  return {
    called: (method: string, status: number, seconds: number) => calls.observe({ method, status }, seconds),
    subscribed: (count: number) => subscribers.set(count),
    eventsSent: (count: number) => events.inc(count),
  }
}

/** Adds the numbers of the connection pools. */
export function observePools(metrics: Metrics, pools: Readonly<Record<string, Database>>): void {
  new Gauge({
    name: 'plaza_db_pool_connections',
    help: 'Connections held by transactions, callers that wait for one, and the size of the pool',
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

/** Adds how far consumers of the event log are behind it. A database that is away leaves the numbers out. */
export function observeConsumers(
  metrics: Metrics,
  read: () => Promise<readonly { readonly name: string; readonly shard: number; readonly blocks: number }[]>,
): void {
  new Gauge({
    name: 'plaza_consumer_lag_blocks',
    help: 'Blocks of the event log that a consumer has not worked through, by shard',
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

/** Adds how far the event log is behind what was accepted. */
export function observeEventLag(metrics: Metrics, lag: () => number): void {
  new Gauge({
    name: 'plaza_event_lag_messages',
    help: 'Messages that were accepted and are not in the event log yet',
    registers: [metrics.registry],
    collect() {
      this.set(lag())
    },
  })
}
