import type { FastifyInstance } from 'fastify'
import type { Logger } from 'pino'
import { type Readiness, registerHealth } from '../api/health.js'
import { registerLanding } from '../api/register-landing.js'
import { registerMetrics } from '../api/register-metrics.js'
import { buildServer } from '../api/server.js'
import type { ProcessRegistry } from '../features/processes/process-registry.js'
import type { Database } from '../platform/db/connection.js'
import { migrationState } from '../platform/db/migrate.js'
import type { LogFeed } from '../platform/log/log-feed.js'
import { pause } from '../platform/process/pause.js'
import type { ServerApp, StartedModule } from './module.js'
import type { ShortageWatch } from './shortages.js'

/** Where the HTTP servers listen; `hub` is the hub API's own address, if it has one. */
export interface ServerUrls {
  readonly main: string
  readonly hub?: string
}

/** Dependencies of the servers. */
interface ServerParts {
  readonly processes: ProcessRegistry
  readonly shortages: ShortageWatch
  readonly feed: LogFeed
}

/**
 * Starts the HTTP servers: the main one with the routes of all modules, and the hub API alone on `HUB_PORT`. A process
 * without the api role has only the endpoints of operation.
 */
export async function startServers(
  app: Omit<ServerApp, 'service' | 'log'> & { readonly log: Logger },
  started: readonly StartedModule[],
  { processes, shortages, feed }: ServerParts,
): Promise<{ readonly urls: ServerUrls; readonly stop: () => Promise<void> }> {
  const { config, log, metrics, errors, tracing, connections, hub } = app
  const encoding = {
    compressReplies: config.compressReplies,
    etags: config.etags,
    compressedRequests: config.compressedRequests,
  }
  const { trustProxy, requestTimeoutMs } = config
  let stopping = false
  const isStopping = () => stopping
  const common = { log, metrics, errors, feed, tracing, trustProxy, requestTimeoutMs, encoding, isStopping }
  const health = (server: FastifyInstance) => {
    const isReady = registerHealth(server, {
      requestTimeoutMs,
      readReadiness: () => readReadiness(connections.read, hub.queued, processes),
      readShortages: shortages.read,
      isStopping,
    })
    registerMetrics(server, metrics, requestTimeoutMs)
    if (app.roles.has('api')) registerLanding(server, { isReady, hasConsole: config.console })
  }
  const hubRoutes = started.flatMap((module) => module.hubRoutes ?? [])
  const routes = started.flatMap((module) => module.routes ?? [])
  const main = await buildServer({ ...common, routes: [health, ...hubRoutes, ...routes] })
  const hubServer =
    config.hubPort === undefined || hubRoutes.length === 0
      ? null
      : await buildServer({ ...common, routes: hubRoutes })
  async function stop(): Promise<void> {
    stopping = true
    await pause(config.shutdownDelayMs)
    await drain()
  }
  async function drain(): Promise<void> {
    const servers = hubServer === null ? [main] : [main, hubServer]
    const limitMs = (config.shutdownTimeoutMs * 2) / 3
    const timer = setTimeout(() => {
      for (const module of started) module.endWaits?.()
    }, limitMs / 2)
    await Promise.all(servers.map((server) => drainRequests(server, limitMs))).finally(() =>
      clearTimeout(timer),
    )
  }
  try {
    const mainUrl = await listen(main, config.host, config.port)
    const hubUrl = hubServer && (await listen(hubServer, config.host, config.hubPort ?? 0))
    return { urls: { main: mainUrl, ...(hubUrl === null ? {} : { hub: hubUrl }) }, stop }
  } catch (error) {
    // A server that listens already would keep the process, which has failed to start, running.
    await drain()
    throw error
  }
}

async function listen(server: FastifyInstance, host: string, port: number): Promise<string> {
  try {
    return await server.listen({ host, port })
  } catch (error) {
    if (!(error instanceof Error && 'syscall' in error && error.syscall === 'getaddrinfo')) throw error
    // Without the code of the cause, which a database without an address has too, and for which a start waits.
    throw new Error(
      `HOST: "${host}" has no address (${error.message}): set it to an address of this machine, such as 127.0.0.1`,
    )
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
