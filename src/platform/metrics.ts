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
