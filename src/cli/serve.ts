import { startServer } from '../app/compose.js'
import { readServerConfig } from '../app/config/config.js'
import { parseRoles } from '../platform/process/roles.js'
import { openLog } from './command-log.js'
import { type CommandContext, loadConfig } from './context.js'
import { requireDevnet } from './registry-command.js'
import { addSmallDemo } from './small-demo.js'
import { startBanner } from './start-banner.js'

/** The least time in which a server may end by itself: what it has open is closed then. */
const MIN_STOP_MS = 5_000

/** Runs the server until it is told to stop. */
export async function serve(context: CommandContext, demo: boolean): Promise<void> {
  if (demo) requireDevnet(context)
  const config = loadConfig(context, readServerConfig)
  const log = openLog(context, config, { output: 'stdout' })
  const stopping = new AbortController()
  let abortDatabase = () => {}
  const onDatabaseStart = (abort: () => void) => {
    abortDatabase = abort
  }
  const starting = startServer(config, log, { signal: stopping.signal, onDatabaseStart }).then(
    async (server) => {
      if (!demo) return server
      return await addSmallDemo(context, server, stopping.signal).then(
        () => server,
        (error: unknown) => server.stop().then(() => Promise.reject(error)),
      )
    },
  )
  context.onStopSignal((isForced) => {
    if (isForced) {
      log.warn({}, 'stopping immediately')
      abortDatabase()
      return
    }
    log.info({}, 'stopping after running requests finish')
    stopping.abort()
    starting
      .then(
        (server) => server.stop(),
        () => {},
      )
      .then(
        () => log.info({}, 'stopped'),
        (error: unknown) => log.error({ err: error }, 'shutdown failed'),
      )
  }, config.shutdownDelayMs + Math.max(config.shutdownTimeoutMs, MIN_STOP_MS))
  const server = await starting.catch((error: unknown) => {
    if (error !== stopping.signal.reason) throw error
  })
  if (server === undefined || stopping.signal.aborted) return
  const { urls, developmentKey, db } = server
  const servesApi = parseRoles(config.roles).has('api')
  const hasConsole = config.console
  for (const line of await startBanner({ urls, developmentKey, db, servesApi, hasConsole }))
    context.print(line)
}
