import type { FastifyInstance } from 'fastify'
import type { Logger } from 'pino'
import { type Readiness, registerHealth } from '../api/health.js'
import { registerLanding } from '../api/register-landing.js'
import { buildServer } from '../api/server.js'
import type { Database } from '../platform/db/connection.js'
import { migrationState } from '../platform/db/migrate.js'
import type { App, StartedModule } from './module.js'
import type { ProcessRegistry } from './processes.js'
import type { ShortageWatch } from './shortages.js'

/** Where the HTTP servers listen; `hub` is the hub API's own address, if it has one. */
export interface ServerUrls {
  readonly main: string
  readonly hub?: string
}

/**
 * Starts the HTTP servers: the main one with the routes of all modules, and the hub API alone on `HUB_PORT`. A process
 * without the api role has only the endpoints of operation.
 */
export async function startServers(
  app: Omit<App, 'service' | 'log'> & { readonly log: Logger },
  started: readonly StartedModule[],
  { processes, shortages }: { readonly processes: ProcessRegistry; readonly shortages: ShortageWatch },
): Promise<{ readonly urls: ServerUrls; readonly stop: () => Promise<void> }> {
  const { config, log, metrics, connections, hub } = app
  const encoding = {
    compressReplies: config.compressReplies,
    etags: config.etags,
    compressedRequests: config.compressedRequests,
  }
  const { trustProxy, requestTimeoutMs } = config
  const common = { log, metrics, trustProxy, requestTimeoutMs, encoding }
  const health = (server: FastifyInstance) => {
    const isReady = registerHealth(server, {
      metrics,
      requestTimeoutMs,
      readReadiness: () => readReadiness(connections.read, hub.queued, processes),
      readShortages: shortages.read,
    })
    if (app.roles.has('api')) registerLanding(server, { isReady, hasConsole: config.console })
  }
  const hubRoutes = started.flatMap((module) => module.hubRoutes ?? [])
  const routes = started.flatMap((module) => module.routes ?? [])
  const main = await buildServer({ ...common, routes: [health, ...hubRoutes, ...routes] })
  const hubServer =
    config.hubPort === undefined || hubRoutes.length === 0
      ? null
      : await buildServer({ ...common, routes: hubRoutes })
  const [mainUrl, hubUrl] = await Promise.all([
    main.listen({ host: config.host, port: config.port }),
    hubServer?.listen({ host: config.host, port: config.hubPort ?? 0 }),
  ])
  return {
    urls: { main: mainUrl, ...(hubUrl === undefined ? {} : { hub: hubUrl }) },
    async stop() {
      const servers = hubServer === null ? [main] : [main, hubServer]
      await Promise.all(servers.map((server) => drainRequests(server, (config.shutdownTimeoutMs * 2) / 3)))
    },
  }
}

/** Lets requests finish that have begun; after the limit their connections are cut. */
async function drainRequests(server: FastifyInstance, limitMs: number): Promise<void> {
  const timer = setTimeout(() => server.server.closeAllConnections(), limitMs)
  await server.close().finally(() => clearTimeout(timer))
}

async function readReadiness(
  db: Database,
  eventLag: () => number,
  processes: ProcessRegistry,
): Promise<Readiness> {
  try {
    const [{ pending, unknown }, roles] = await Promise.all([migrationState(db), processes.countByRole()])
    const migrations = pending.length > 0 ? 'pending' : unknown.length > 0 ? 'newer' : 'applied'
    return { database: 'ok', migrations, eventLag: eventLag(), roles }
  } catch {
    return { database: 'away', migrations: 'unknown', eventLag: eventLag(), roles: null }
  }
}
