import type { Database } from '../../platform/db/connection.js'
import { createApiKey } from './api-keys.js'
import { ensureApp } from './apps.js'

const APP_NAME = 'development'

/**
 * The key of a database that has none yet, so that the first start ends in an API that answers. Null when there is
 * a key already, also a revoked one.
 *
 * @param configuredKey The key to make, instead of a random one.
 */
export async function createDevelopmentKey(db: Database, configuredKey?: string): Promise<string | null> {
  return db.begin(async (sql) => {
    // Two processes that start together make one key.
    await sql`lock table apps.apps in share row exclusive mode`
    const keys = await sql`select 1 from apps.api_keys limit 1`
    if (keys.length > 0) return null
    const appId = await ensureApp(sql, APP_NAME)
    const { key } = await createApiKey(sql, {
      appId,
      ...(configuredKey === undefined ? {} : { key: configuredKey }),
    })
    return key
  })
}
