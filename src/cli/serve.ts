import type { Command } from 'commander'
import { startServer } from '../app/compose.js'
import { createLogin } from '../features/console/console-sessions.js'
import { createLogger } from '../platform/log/logger.js'
import { consoleLink } from './console.js'
import { type CommandContext, loadConfig } from './context.js'
import { requireDevnet } from './registry-command.js'
import { addSmallDemo } from './small-demo.js'

/** The least time in which a server may end by itself: what it has open is closed then. */
const MIN_STOP_MS = 5_000

/** `plaza serve` */
export function addServeCommand(program: Command, context: CommandContext): void {
  program
    .command('serve')
    .description('run the server')
    .option('--demo', 'first fill an empty devnet with a small generated network')
    .option('--roles <roles>', 'roles of this process: api, worker, sync, separated by commas (ROLES)')
    .action(({ demo = false, roles }: ServeOptions) => serve(withRoles(context, roles), demo))
}

interface ServeOptions {
  readonly demo?: boolean
  readonly roles?: string
}

/** The option overrides the variable. */
function withRoles(context: CommandContext, roles: string | undefined): CommandContext {
  return roles === undefined ? context : { ...context, env: { ...context.env, ROLES: roles } }
}

async function serve(context: CommandContext, demo: boolean): Promise<void> {
  if (demo) requireDevnet(context)
  const config = loadConfig(context)
  const log = createLogger(config.logLevel)
  const demoStop = new AbortController()
  const starting = startServer(config, log).then(async (server) => {
    if (!demo) return server
    return await addSmallDemo(context, server, demoStop.signal).then(
      () => server,
      (error: unknown) => server.stop().then(() => Promise.reject(error)),
    )
  })
  context.onStopSignal(
    (isForced) => {
      if (isForced) {
        log.warn({}, 'stopping immediately')
        starting.then(
          (server) => server.abort(),
          () => {},
        )
        return
      }
      log.info({}, 'stopping after running requests finish')
      demoStop.abort()
      starting
        .then((server) => server.stop())
        .then(
          () => log.info({}, 'stopped'),
          (error: unknown) => log.error({ err: error }, 'shutdown failed'),
        )
    },
    Math.max(config.shutdownTimeoutMs, MIN_STOP_MS),
  )
  const { urls, developmentKey, db } = await starting
  if (demoStop.signal.aborted) return
  if (urls.hub !== undefined) context.print(`hub API on ${urls.hub}`)
  if (urls.grpc !== undefined) context.print(`hub over gRPC on ${urls.grpc}`)
  if (developmentKey !== null) {
    context.print(`API key: ${developmentKey}`)
    context.print(
      `try it: curl -H 'x-api-key: ${developmentKey}' '${urls.main}/v2/social/fname/availability?fname=alice'`,
    )
  }
  if (config.console && developmentKey !== null) {
    context.print(`console: ${consoleLink(urls.main, await createLogin(db))}`)
  }
  context.print(`listening on ${urls.main}`)
}
