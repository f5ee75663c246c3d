import type { Config } from '../app/config/config.js'
import { connect, type Database } from '../platform/db/connection.js'
import { type OpenDatabase, openCommandDatabase } from '../platform/db/open-database.js'
import { POOL_END_SECONDS } from '../platform/db/pool-end.js'
import { openLog } from './command-log.js'
import { type CommandContext, loadConfig } from './context.js'

/**
 * Runs a command on the URL of the server's database: beside a running server, or with an embedded PostgreSQL for its
 * duration. Logs go to stderr, so that stdout contains only the output of the command, unless it is there to migrate
 * (`upgrades`). A stop signal that the command does not handle, or that comes before the database is open, closes the database
 * and ends the command: an embedded PostgreSQL does not get the terminal's signals.
 */
export async function withDatabaseUrl<T>(
  context: CommandContext,
  command: string,
  work: (url: string, config: Config) => Promise<T>,
  { upgrades = false }: { readonly upgrades?: boolean } = {},
): Promise<T> {
  const config = loadConfig(context)
  const level = config.logLevel === 'info' ? 'warn' : config.logLevel
  // What a migration does, and how long it takes, is all that its command shows.
  const log = openLog(context, config, upgrades ? { output: 'stdout' } : { output: 'stderr', level })
  const stopping = new AbortController()
  let database: OpenDatabase | null = null
  let abortDatabase = () => {}
  const onStart = (abort: () => void) => {
    abortDatabase = abort
  }
  const forget = context.onDatabaseStop((error, isHandled) => {
    if (error === null) abortDatabase()
    // A command that waits for its database does nothing yet that it could end.
    else if (!isHandled || database === null) stopping.abort(error)
  })
  try {
    database = await openCommandDatabase(config, command, log, {
      signal: stopping.signal,
      onStart,
      upgrades,
    })
    const { url, close } = database
    return await Promise.race([work(url, config), rejection(stopping.signal)]).finally(close)
  } finally {
    forget()
  }
}

/** Rejects with the reason of the signal. */
function rejection(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    if (signal.aborted) reject(signal.reason)
    else signal.addEventListener('abort', () => reject(signal.reason), { once: true })
  })
}

/** Runs a command on connections to the database of the server. */
export async function withDatabase(
  context: CommandContext,
  command: string,
  work: (db: Database) => Promise<void>,
  poolSize = 1,
): Promise<void> {
  await withDatabaseUrl(context, command, async (url) => {
    const db = connect(url, { poolSize, applicationName: `plaza ${command}` })
    await work(db).finally(() => db.end({ timeout: POOL_END_SECONDS }))
  })
}
