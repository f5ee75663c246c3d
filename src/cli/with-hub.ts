import type { Config } from '../app/config/config.js'
import { openCommandHub } from '../app/open-hub.js'
import type { Hub } from '../hub/hub.js'
import type { Database } from '../platform/db/connection.js'
import { openCommandDatabase } from '../platform/db/open-database.js'
import { createLogger, fileOutput } from '../platform/log/logger.js'
import { type CommandContext, loadConfig } from './context.js'

/** What a command works with. */
export interface CommandHub {
  readonly config: Config
  readonly db: Database
  readonly hub: Hub
}

const STDERR = 2

/**
 * Runs a command on the database that the server uses, or would use: next to a running server, or with a
 * PostgreSQL of its own for as long as it takes. Several processes may merge at once. What is logged goes to
 * stderr, so that stdout is the command's own.
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
