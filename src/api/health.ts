import type { FastifyInstance } from 'fastify'
import type { Metrics } from '../platform/metrics.js'

/** What `/readyz` says. Every part that is not well makes the whole not ready. */
export interface Readiness {
  readonly database: 'ok' | 'away'
  readonly migrations: 'applied' | 'pending' | 'unknown'
  /** Messages that were accepted and are not in the event log yet. */
  readonly eventLag: number
  /** Live processes by role; null when that is not known. A role of nobody is told, and is no reason to be not ready. */
  readonly roles: Readonly<Record<string, number>> | null
}

export interface HealthDeps {
  readonly metrics: Metrics
  readonly readiness: () => Promise<Readiness>
}

/** A check that takes longer than this is a no. */
const READINESS_LIMIT_MS = 2_000
/** With this much work before them, new messages wait for seconds: a load balancer should look elsewhere. */
const MAX_EVENT_LAG = 10_000

/** The endpoints of operation. They are for whoever runs the server, and are not part of its API. */
export function registerHealth(app: FastifyInstance, { metrics, readiness }: HealthDeps): void {
  app.get('/healthz', async () => ({ status: 'ok' }))

  app.get('/readyz', async (_request, reply) => {
    const found = await withTimeout(READINESS_LIMIT_MS, readiness())
    const ready =
      found !== null &&
      found.database === 'ok' &&
      found.migrations === 'applied' &&
      found.eventLag <= MAX_EVENT_LAG
    if (!ready) reply.status(503).header('retry-after', 1)
    const missingRoles = Object.entries(found?.roles ?? {}).flatMap(([role, count]) =>
      count === 0 ? [role] : [],
    )
    return {
      status: ready ? 'ready' : 'not ready',
      ...(found ?? { database: 'away' }),
      missingRoles,
    }
  })

  app.get('/metrics', async (_request, reply) => {
    reply.type(metrics.registry.contentType)
    return metrics.registry.metrics()
  })
}

async function withTimeout<T>(limitMs: number, work: Promise<T>): Promise<T | null> {
  let timer: NodeJS.Timeout | undefined
  const timeout = new Promise<null>((resolve) => {
    timer = setTimeout(resolve, limitMs, null)
  })
  return Promise.race([work, timeout]).finally(() => clearTimeout(timer))
}
