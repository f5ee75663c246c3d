import type { FastifyInstance } from 'fastify'
import { Registry } from 'prom-client'
import type { Shortage } from '../platform/db/connection-errors.js'
import { type Metrics, openMetricsWriter } from '../platform/metrics.js'
import { createPacedRuns } from '../platform/process/paced-runs.js'
import { pause, resultWithin } from '../platform/process/pause.js'

/** The reply of `/readyz`. The server is ready if every part is, but for what reads can do without. */
export interface Readiness {
  readonly database: 'ok' | 'away'
  /** `newer`: a newer version has migrated the database, as in an upgrade of one process after the other. */
  readonly migrations: 'applied' | 'pending' | 'newer' | 'unknown'
  /** Accepted messages that are not in the event log yet. */
  readonly eventLag: number
  /** Live processes by role; null when that is not known. A role without a process does not make a server not ready. */
  readonly roles: Readonly<Record<string, number>> | null
}

export interface HealthOptions {
  readonly metrics: Metrics
  readonly readReadiness: () => Promise<Readiness>
  /** Reads the resources that have run out lately. Reads go on, so it is no reason to be not ready. */
  readonly readShortages: () => Promise<readonly Shortage[]>
  /** Milliseconds within which every request is answered. */
  readonly requestTimeoutMs: number
}

/** A check that takes longer counts as failed. */
const READINESS_LIMIT_MS = 2_000
/** Metrics that are read from the database, and not in this time, are left out. */
const METRICS_LIMIT_MS = 2_000
/** Part of the time of a request that a check may take at most. */
const CHECK_SHARE = 0.5
/** Above this queue length new messages wait for seconds, and load balancers should use another server. */
const MAX_EVENT_LAG = 10_000

/**
 * Adds the endpoints for the operator, which are not part of the API. They answer also while the database hangs.
 *
 * @returns whether the server is ready, as `/readyz` says it.
 */
export function registerHealth(app: FastifyInstance, options: HealthOptions): () => Promise<boolean> {
  const { metrics, readShortages, requestTimeoutMs } = options
  const longestMs = requestTimeoutMs * CHECK_SHARE
  const readReadiness = sharedCheck(options.readReadiness, Math.min(READINESS_LIMIT_MS, longestMs))
  const vital = { config: { isVital: true } }

  app.get('/healthz', vital, async () => ({ status: 'ok' }))

  app.get('/readyz', vital, async (_request, reply) => {
    const [found, shortages] = await Promise.all([readReadiness(), readShortages()])
    const ready = isReady(found)
    if (!ready) reply.status(503).header('retry-after', 1)
    const missingRoles = Object.entries(found?.roles ?? {}).flatMap(([role, count]) =>
      count === 0 ? [role] : [],
    )
    return {
      status: ready ? 'ready' : 'not ready',
      ...(found ?? { database: 'away' }),
      shortages,
      missingRoles,
    }
  })

  // Needs no key, takes statements and 5 ms of the thread: those who ask together get the same.
  const metricsLimitMs = Math.min(METRICS_LIMIT_MS, longestMs)
  const { registry } = metrics
  const classicText = createPacedRuns(async () => {
    const texts = await readMetrics(metrics, (name) => registry.getSingleMetricAsString(name), metricsLimitMs)
    return `${texts.join('\n\n')}\n`
  })
  const writeOpenMetrics = openMetricsWriter(metrics)
  const openMetricsText = createPacedRuns(async () => {
    const texts = await readMetrics(metrics, writeOpenMetrics, metricsLimitMs)
    return `${texts.join('\n')}\n# EOF\n`
  })
  app.get('/metrics', vital, async (request, reply) => {
    if (acceptsOpenMetrics(request.headers.accept)) {
      reply.type(Registry.OPENMETRICS_CONTENT_TYPE)
      return await openMetricsText()
    }
    reply.type(registry.contentType)
    return await classicText()
  })

  return async () => isReady(await readReadiness())
}

function isReady(found: Readiness | null): boolean {
  return (
    found !== null &&
    found.database === 'ok' &&
    // Migrations expand before they contract: the version before works on a newer schema.
    (found.migrations === 'applied' || found.migrations === 'newer') &&
    found.eventLag <= MAX_EVENT_LAG
  )
}

/**
 * Shares a check between requests: while one has no answer, no other begins. Null after the time; and at once while a
 * check has taken longer already, because what it asks hangs.
 */
function sharedCheck<Result>(check: () => Promise<Result>, limitMs: number): () => Promise<Result | null> {
  let running: Promise<Result> | null = null
  let isLate = false
  return async () => {
    if (running !== null && isLate) return null
    running ??= check().finally(() => {
      running = null
      isLate = false
    })
    const result = await resultWithin(limitMs, running)
    if (result === null && running !== null) isLate = true
    return result
  }
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
