import type { Database } from '../../platform/db/connection.js'
import { createApiKey } from './api-keys.js'
import { ensureApp } from './apps.js'

const APP_NAME = 'development'

/**
 * Creates the first key of an empty database, so that a first start gives a working API.
 *
 * Returns null when any key exists, even a revoked one.
 *
 * @param configuredKey Used instead of a random key.
 */
export async function createDevelopmentKey(db: Database, configuredKey?: string): Promise<string | null> {
  return db.begin(async (sql) => {
    // Serializes concurrent starts, so that one key is created.
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
