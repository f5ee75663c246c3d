import {
  Counter,
  collectDefaultMetrics,
  Gauge,
  Histogram,
  type OpenMetricsContentType,
  Registry,
} from 'prom-client'
import { type Database, poolUsage } from './db/connection.js'
import type { TraceSpan } from './tracing/active-span.js'

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
    requests: latencyHistogram(registry, {
      name: 'plaza_http_request_duration_seconds',
      help: 'Latency of HTTP requests by route and status',
      labelNames: ['method', 'route', 'status'],
    }),
    merges: new Counter({
      name: 'plaza_merges_total',
      help: 'Submitted messages by type and outcome',
      labelNames: ['type', 'outcome'],
      registers,
    }),
  }
}

/** Makes a histogram whose buckets name the trace of their last observation, where the text is OpenMetrics. */
export function latencyHistogram<Label extends string>(
  registry: Registry,
  { name, help, labelNames }: { readonly name: string; readonly help: string; readonly labelNames: Label[] },
): Histogram<Label> {
  // The library refuses such a histogram in a registry of the classic format, which leaves exemplars out.
  const options = { name, help, labelNames, buckets: LATENCY_SECONDS, registers: [], enableExemplars: true }
  const histogram = new Histogram<Label>(options)
  registry.registerMetric(histogram)
  return histogram
}

/** Observes a latency, with the trace of the work if that is recorded. */
export function observeLatency<Label extends string>(
  histogram: Histogram<Label>,
  labels: Partial<Record<Label, string | number>>,
  seconds: number,
  span: TraceSpan | null,
): void {
  // The library declares that an exemplar has labels of its metric.
  const exemplarLabels = (span?.isRecorded ? { trace_id: span.traceId } : {}) as typeof labels
  histogram.observe({ labels, value: seconds, exemplarLabels })
}

/** Writes metrics in the format of OpenMetrics, which has exemplars. Without the last line, `# EOF`. */
export function openMetricsWriter({ registry }: Metrics): (name: string) => Promise<string> {
  const writer = new Registry<OpenMetricsContentType>()
  writer.setContentType(Registry.OPENMETRICS_CONTENT_TYPE)
  return async (name) => {
    const metric = registry.getSingleMetric(name) as unknown as WritableMetric
    const values = metric.getForPromString?.bind(metric) ?? metric.get.bind(metric)
    // The writer appends `_total` to the names of counters, which have it.
    const get = async () => {
      const found = await values()
      return found.type === 'counter' ? { ...found, name: found.name.replace(/_total$/, '') } : found
    }
    return await (writer as unknown as OpenMetricsRegistry).getMetricsAsString({ getForPromString: get, get })
  }
}

interface FoundMetric {
  readonly name: string
  readonly type: string
}

/** The members of the library that it does not declare. */
interface WritableMetric {
  get(): Promise<FoundMetric>
  getForPromString?(): Promise<FoundMetric>
}

interface OpenMetricsRegistry {
  getMetricsAsString(metric: WritableMetric): Promise<string>
}

/** Adds metrics of the connection pools. */
export function observePools(metrics: Metrics, pools: Readonly<Record<string, Database>>): void {
  new Gauge({
    name: 'plaza_db_pool_connections',
    help: 'Connections held by transactions and sessions, callers that wait for one (statements of requests, too, also on a connection behind a slow statement of another caller), and pool size',
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
