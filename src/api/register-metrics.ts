import type { FastifyInstance } from 'fastify'
import { Registry } from 'prom-client'
import { type Metrics, openMetricsWriter } from '../platform/metrics.js'
import { createPacedRuns } from '../platform/process/paced-runs.js'
import { pause } from '../platform/process/pause.js'
import { CHECK_SHARE } from './health.js'

/** Metrics that are read from the database, and not in this time, are left out. */
const MAX_METRICS_MS = 2_000

/** Adds `/metrics`: the text format of Prometheus, or that of OpenMetrics for who accepts it. */
export function registerMetrics(app: FastifyInstance, metrics: Metrics, requestTimeoutMs: number): void {
  // Needs no key, takes statements and 5 ms of the thread: those who ask together get the same.
  const limitMs = Math.min(MAX_METRICS_MS, requestTimeoutMs * CHECK_SHARE)
  const { registry } = metrics
  const classicText = createPacedRuns(async () => {
    const texts = await readMetrics(metrics, (name) => registry.getSingleMetricAsString(name), limitMs)
    return `${texts.join('\n\n')}\n`
  })
  const writeOpenMetrics = openMetricsWriter(metrics)
  const openMetricsText = createPacedRuns(async () => {
    const texts = await readMetrics(metrics, writeOpenMetrics, limitMs)
    return `${texts.join('\n')}\n# EOF\n`
  })
  app.get('/metrics', { config: { isVital: true } }, async (request, reply) => {
    if (acceptsOpenMetrics(request.headers.accept)) {
      reply.type(Registry.OPENMETRICS_CONTENT_TYPE)
      return await openMetricsText()
    }
    reply.type(registry.contentType)
    return await classicText()
  })
}

/** Whether a client names the format of OpenMetrics, as Prometheus does when it stores exemplars. */
function acceptsOpenMetrics(accept = ''): boolean {
  return accept.includes('application/openmetrics-text')
}

/** The text of each metric, without those whose values did not come in time. */
async function readMetrics(
  { registry }: Metrics,
  write: (name: string) => Promise<string>,
  limitMs: number,
): Promise<string[]> {
  const finished = new AbortController()
  const late = pause(limitMs, finished.signal).then(() => null)
  const names = registry.getMetricsAsArray().map(({ name }) => name)
  const texts = await Promise.all(names.map((name) => Promise.race([write(name), late])))
  finished.abort()
  return texts.filter((text) => text !== null)
}
