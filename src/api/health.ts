import type { FastifyInstance } from 'fastify'
import type { Metrics } from '../platform/metrics.js'
import { createPacedRuns } from '../platform/process/paced-runs.js'
import { resultWithin } from '../platform/process/pause.js'

/** The reply of `/readyz`. The server is ready if every part is. */
export interface Readiness {
  readonly database: 'ok' | 'away'
  /** `newer`: a newer version has migrated the database, as in an upgrade of one process after the other. */
  readonly migrations: 'applied' | 'pending' | 'newer' | 'unknown'
  /** Accepted messages that are not in the event log yet. */
  readonly eventLag: number
  /** Live processes by role; null when that is not known. A role of nobody is told, and is no reason to be not ready. */
  readonly roles: Readonly<Record<string, number>> | null
}

/** A check that takes longer counts as failed. */
const READINESS_LIMIT_MS = 2_000
/** Above this queue length new messages wait for seconds, and load balancers should use another server. */
const MAX_EVENT_LAG = 10_000

/** Adds the endpoints for the operator, which are not part of the API. */
export function registerHealth(
  app: FastifyInstance,
  metrics: Metrics,
  readiness: () => Promise<Readiness>,
): void {
  app.get('/healthz', async () => ({ status: 'ok' }))

  app.get('/readyz', async (_request, reply) => {
    const found = await resultWithin(READINESS_LIMIT_MS, readiness())
    const ready =
      found !== null &&
      found.database === 'ok' &&
      // Migrations expand before they contract: the version before works on a newer schema.
      (found.migrations === 'applied' || found.migrations === 'newer') &&
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

  // Needs no key, takes statements and 5 ms of the thread: those who ask together get the same.
  const readMetrics = createPacedRuns(() => metrics.registry.metrics())
  app.get('/metrics', async (_request, reply) => {
    reply.type(metrics.registry.contentType)
    return await readMetrics()
  })
}
