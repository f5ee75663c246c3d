import type { Command } from 'commander'
import { createLogger } from '../lib/logger.js'
import { startServer } from '../main.js'
import { type CommandContext, loadConfig } from './context.js'

/** `plaza serve` */
export function addServeCommand(program: Command, context: CommandContext): void {
  program
    .command('serve')
    .description('run the server')
    .action(() => serve(context))
}

async function serve(context: CommandContext): Promise<void> {
  const config = loadConfig(context)
  const log = createLogger(config.logLevel)
  const starting = startServer(config, log)
  context.onStopSignal((again) => {
    if (again) {
      log.warn({}, 'stopping at once')
      starting.then(
        (server) => server.abort(),
        () => {},
      )
      return
    }
    log.info({}, 'stopping: requests that run are finished first')
    starting
      .then((server) => server.stop())
      .then(
        () => log.info({}, 'stopped'),
        (error: unknown) => log.error({ err: error }, 'did not stop cleanly'),
      )
  })
  const { urls, developmentKey } = await starting
  if (urls.hub !== undefined) context.print(`hub API on ${urls.hub}`)
  if (developmentKey !== null) {
    context.print(`API key: ${developmentKey}`)
    context.print(
      `try it: curl -H 'x-api-key: ${developmentKey}' '${urls.main}/v2/social/fname/availability?fname=alice'`,
    )
  }
  context.print(`listening on ${urls.main}`)
}
