import type { Config } from '../app/config/config.js'
import { openCommandHub } from '../app/open-hub.js'
import type { Hub } from '../hub/hub.js'
import type { Database } from '../platform/db/connection.js'
import { openCommandDatabase } from '../platform/db/open-database.js'
import { createLogger, fileOutput } from '../platform/log/logger.js'
import { type CommandContext, loadConfig } from './context.js'

/** Configuration, database and hub of a command. */
export interface CommandHub {
  readonly config: Config
  readonly db: Database
  readonly hub: Hub
}

const STDERR = 2

/**
 * Runs a command on the hub of the server: beside a running server, or with an embedded PostgreSQL for its
 * duration. Several processes may merge at the same time. Logs go to stderr, so that stdout contains only the
 * output of the command.
 */
export async function withHub<T>(
  context: CommandContext,
  command: string,
  work: (tools: CommandHub) => Promise<T>,
): Promise<T> {
  const config = loadConfig(context)
  const log = createLogger(config.logLevel === 'info' ? 'warn' : config.logLevel, fileOutput(STDERR))
  const database = await openCommandDatabase(config, command, log)
  try {
    const { hub, db, close } = await openCommandHub(config, database.url, `plaza ${command}`)
    return await work({ config, db, hub }).finally(close)
  } finally {
    await database.close()
  }
}
