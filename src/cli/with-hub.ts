import type { Config } from '../app/config/config.js'
import type { Hub } from '../hub/hub.js'
import type { Database } from '../platform/db/connection.js'
import type { CommandContext } from './context.js'
import { withDatabaseUrl } from './with-database.js'

/** Configuration, database and hub of a command. */
export interface HubTools {
  readonly config: Config
  readonly db: Database
  readonly hub: Hub
}

/**
 * Runs a command on the hub of the server, which is loaded now. Several processes may merge at the same time.
 *
 * @param before Runs before the hub is opened, which fixes the network of a new database.
 */
export async function withHub<T>(
  context: CommandContext,
  command: string,
  work: (tools: HubTools) => Promise<T>,
  before: (config: Config) => Promise<void> = async () => {},
): Promise<T> {
  const { openCommandHub } = await import('../app/open-hub.js')
  return await withDatabaseUrl(context, command, async (url, config) => {
    await before(config)
    const { hub, db, close } = await openCommandHub(config, url, `plaza ${command}`)
    return await work({ config, db, hub }).finally(close)
  })
}
