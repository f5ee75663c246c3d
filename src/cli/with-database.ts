import { connect, type Database } from '../platform/db/connection.js'
import { openCommandDatabase } from '../platform/db/open-database.js'
import { createLogger, fileOutput } from '../platform/log/logger.js'
import { type CommandContext, loadConfig } from './context.js'

const STDERR = 2
const POOL_END_SECONDS = 5

/**
 * Runs a command on the database of the server, also while the server runs. Logs go to stderr, so that stdout
 * contains only the output of the command.
 */
export async function withDatabase(
  context: CommandContext,
  command: string,
  work: (db: Database) => Promise<void>,
  { poolSize = 1 }: { readonly poolSize?: number } = {},
): Promise<void> {
  const config = loadConfig(context)
  const log = createLogger(config.logLevel === 'info' ? 'warn' : config.logLevel, fileOutput(STDERR))
  const database = await openCommandDatabase(config, command, log)
  try {
    const db = connect(database.url, { poolSize, applicationName: `plaza ${command}` })
    await work(db).finally(() => db.end({ timeout: POOL_END_SECONDS }))
  } finally {
    await database.close()
  }
}
