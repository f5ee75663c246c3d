import { join, resolve } from 'node:path'
import type { Config } from '../app/config/config.js'
import { findServerDatabase, findServerProcess } from '../platform/db/open-database.js'
import { UsageError } from './context.js'

/** Returns the URL of the server's database, or throws a `UsageError`: no server runs, or its own PostgreSQL does not. */
export async function requireServerDatabase(
  config: Pick<Config, 'databaseUrl' | 'dataDir'>,
): Promise<string> {
  const url = await findServerDatabase(config)
  if (url !== null) return url
  const { dataDir } = config
  const server = findServerProcess(dataDir)
  if (server !== null) {
    throw new UsageError(
      `the server runs on ${dataDir} (process ${server.pid}), but its database does not answer: it starts, recovers or cannot ` +
        `start. Try again soon; ${join(resolve(dataDir), 'postgres.log')} says what it does`,
    )
  }
  throw new UsageError(
    `no server is running on ${dataDir}: start it, or set DATABASE_URL or DATA_DIR as for the server`,
  )
}
