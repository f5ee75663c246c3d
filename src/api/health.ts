import type { FastifyInstance } from 'fastify'
import type { Shortage } from '../platform/db/connection-errors.js'
import { resultWithin } from '../platform/process/pause.js'

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
  readonly readReadiness: () => Promise<Readiness>
  /** Reads what the database has lacked lately. Reads go on, so it is no reason to be not ready. */
  readonly readShortages: () => Promise<readonly Shortage[]>
  /** Milliseconds within which every request is answered. */
  readonly requestTimeoutMs: number
  /** Whether the process was told to stop: it answers for a while, and should get no more requests. */
  readonly isStopping?: () => boolean
}

/** A check that takes longer counts as failed. */
const MAX_READINESS_MS = 2_000
/** Part of the time of a request that a check may take at most. */
export const CHECK_SHARE = 0.5
/** Above this queue length new messages wait for seconds, and load balancers should use another server. */
export const MAX_EVENT_LAG = 10_000

/**
 * Adds the endpoints for the operator, which are not part of the API. They answer also while the database hangs.
 *
 * @returns whether the server is ready, as `/readyz` says it.
 */
export function registerHealth(app: FastifyInstance, options: HealthOptions): () => Promise<boolean> {
  const { readShortages, requestTimeoutMs, isStopping = () => false } = options
  const longestMs = requestTimeoutMs * CHECK_SHARE
  const readReadiness = sharedCheck(options.readReadiness, Math.min(MAX_READINESS_MS, longestMs))
  const vital = { config: { isVital: true } }

  app.get('/healthz', vital, async () => ({ status: 'ok' }))

  app.get('/readyz', vital, async (_request, reply) => {
    const [found, shortages] = await Promise.all([readReadiness(), readShortages()])
    const ready = !isStopping() && isReady(found)
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

  return async () => !isStopping() && isReady(await readReadiness())
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
