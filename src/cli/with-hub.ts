import type { Config } from '../app/config/config.js'
import type { Hub } from '../hub/hub.js'
import type { Database } from '../platform/db/connection.js'
import type { CommandContext } from './context.js'
import { withDatabaseUrl } from './with-database.js'

/** Runs a command on the hub of the server, which is loaded now. Several processes may merge at the same time. */
export async function withHub<T>(
  context: CommandContext,
  command: string,
  work: (tools: { readonly config: Config; readonly db: Database; readonly hub: Hub }) => Promise<T>,
): Promise<T> {
  const { openCommandHub } = await import('../app/open-hub.js')
  return await withDatabaseUrl(context, command, async (url, config) => {
    const { hub, db, close } = await openCommandHub(config, url, `plaza ${command}`)
    return await work({ config, db, hub }).finally(close)
  })
}
