import { isServerFailure } from '../../../platform/errors.js'
import type { Metrics } from '../../../platform/metrics.js'
import type { OperationTimes } from '../schema/overview.js'

/** The histogram of one operation in one process. */
export interface OperationHistogram {
  /** `GET /v2/farcaster/feed`. */
  readonly operation: string
  requests: number
  failures: number
  /** How many requests took at most so many seconds; null is no bound. */
  readonly buckets: [seconds: number | null, requests: number][]
}

/** More than there are operations. */
const MAX_OPERATIONS = 1_000

/** The histograms of this process since its start. */
export async function readHistograms(metrics: Metrics): Promise<OperationHistogram[]> {
  const { values } = await metrics.requests.get()
  const operations = new Map<string, OperationHistogram>()
  for (const { labels, metricName, value } of values) {
    const { method, route, status, le } = labels as Record<string, string | number | undefined>
    const operation = `${method} ${route}`
    const found = operations.get(operation) ?? { operation, requests: 0, failures: 0, buckets: [] }
    operations.set(operation, found)
    if (metricName?.endsWith('_bucket')) addTo(found.buckets, le === '+Inf' ? null : Number(le), value)
    else if (metricName?.endsWith('_count')) {
      found.requests += value
      if (isServerFailure(Number(status))) found.failures += value
    }
  }
  return [...operations.values()].slice(0, MAX_OPERATIONS)
}

function addTo(buckets: OperationHistogram['buckets'], seconds: number | null, requests: number): void {
  const bucket = buckets.find(([bound]) => bound === seconds)
  if (bucket) bucket[1] += requests
  else buckets.push([seconds, requests])
}

/** How long operations took in several processes together, those with most requests first. */
export function mergeHistograms(processes: readonly (readonly OperationHistogram[])[]): OperationTimes[] {
  const merged = new Map<string, OperationHistogram>()
  for (const { operation, requests, failures, buckets } of processes.flat()) {
    const sum = merged.get(operation) ?? { operation, requests: 0, failures: 0, buckets: [] }
    merged.set(operation, sum)
    sum.requests += requests
    sum.failures += failures
    for (const [seconds, count] of buckets) addTo(sum.buckets, seconds, count)
  }
  return [...merged.values()]
    .map(({ operation, requests, failures, buckets }) => ({
      object: 'operation_times' as const,
      operation,
      requests,
      failures,
      p50_ms: quantile(buckets, requests, 0.5),
      p99_ms: quantile(buckets, requests, 0.99),
    }))
    .sort((a, b) => b.requests - a.requests)
}

/** Interpolates in the bucket of the quantile, as Prometheus does. Milliseconds. */
function quantile(buckets: OperationHistogram['buckets'], requests: number, share: number): number {
  const rank = requests * share
  const bounds = buckets.map(([seconds, count]): [number, number] => [
    seconds ?? Number.POSITIVE_INFINITY,
    count,
  ])
  let [lower, below] = [0, 0]
  for (const [seconds, count] of bounds.sort(([a], [b]) => a - b)) {
    if (count >= rank && count > below) {
      const upper = Number.isFinite(seconds) ? seconds : lower
      return (lower + (upper - lower) * ((rank - below) / (count - below))) * 1000
    }
    ;[lower, below] = [seconds, count]
  }
  return 0
}
