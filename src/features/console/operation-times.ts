import type { OperationTimes } from '../../graph/view/schema/overview.js'
import type { Metrics } from '../../platform/metrics.js'

/** The buckets of one operation: how many requests took at most so many seconds. */
interface Buckets {
  readonly atMost: Map<number, number>
  requests: number
  failures: number
}

const SERVER_ERROR = 500

/** How long the operations of this process took, those with most requests first. */
export async function readOperationTimes(metrics: Metrics): Promise<OperationTimes[]> {
  const { values } = await metrics.requests.get()
  const operations = new Map<string, Buckets>()
  for (const { labels, metricName, value } of values) {
    const { method, route, status, le } = labels as Record<string, string | number | undefined>
    const operation = `${method} ${route}`
    const found = operations.get(operation) ?? { atMost: new Map(), requests: 0, failures: 0 }
    operations.set(operation, found)
    if (metricName?.endsWith('_bucket')) {
      const seconds = le === '+Inf' ? Number.POSITIVE_INFINITY : Number(le)
      found.atMost.set(seconds, (found.atMost.get(seconds) ?? 0) + value)
    } else if (metricName?.endsWith('_count')) {
      found.requests += value
      if (Number(status) >= SERVER_ERROR) found.failures += value
    }
  }
  return [...operations]
    .map(([operation, { atMost, requests, failures }]) => ({
      object: 'operation_times' as const,
      operation,
      requests,
      failures,
      p50_ms: quantile(atMost, requests, 0.5),
      p99_ms: quantile(atMost, requests, 0.99),
    }))
    .sort((a, b) => b.requests - a.requests)
}

/** Interpolates in the bucket of the quantile, as Prometheus does. Milliseconds. */
function quantile(atMost: ReadonlyMap<number, number>, requests: number, share: number): number {
  const rank = requests * share
  let [lower, below] = [0, 0]
  for (const [seconds, count] of [...atMost].sort(([a], [b]) => a - b)) {
    if (count >= rank && count > below) {
      const upper = Number.isFinite(seconds) ? seconds : lower
      return (lower + (upper - lower) * ((rank - below) / (count - below))) * 1000
    }
    ;[lower, below] = [seconds, count]
  }
  return 0
}
