import { createApiKeyCache } from '../../features/apps/api-key-cache.js'
import { createDevelopmentKey } from '../../features/apps/api-keys.js'
import { deleteOldUsage, KeyUsage } from '../../features/apps/key-usage.js'
import { earlierNow } from '../../hub/log/partitions.js'
import { HOUR_MS } from '../../platform/durations.js'
import type { Module } from '../module.js'

const KEY_USE_INTERVAL_MS = 60_000
const USAGE_FLUSH_MS = 5_000

/** Apps and their API keys. The first start on an empty database makes a key. */
export const appsModule: Module = {
  name: 'apps',
  runsIn: ['api'],
  async start({ config, connections: { read, write }, clock, log }) {
    const keyCache = createApiKeyCache(read, clock)
    const keyUsage = new KeyUsage(clock)
    const configuredKey = config.plazaDevApiKey
    // A database that somebody else runs gets a key only when one was configured for it.
    const mayMakeKey = config.databaseUrl === undefined || configuredKey !== undefined
    const developmentKey = mayMakeKey ? await createDevelopmentKey(write, configuredKey) : null
    if (developmentKey === null && configuredKey !== undefined && !(await keyCache.find(configuredKey))) {
      log.warn({}, 'PLAZA_DEV_API_KEY is not used: the database has other API keys already')
    }
    return {
      services: {
        findCaller: keyCache.find,
        findClient: keyCache.findClient,
        keyUsage,
        // The operator knows a key that it has chosen; only a generated one is shown.
        developmentKey: configuredKey === undefined ? developmentKey : null,
      },
      jobs: [
        {
          name: 'use of API keys',
          everyMs: KEY_USE_INTERVAL_MS,
          perProcess: true,
          run: () => keyCache.saveLastUsed(write),
        },
        {
          name: 'requests of API keys',
          everyMs: USAGE_FLUSH_MS,
          perProcess: true,
          run: () => keyUsage.flush(write),
        },
        {
          name: 'old requests of API keys',
          everyMs: HOUR_MS,
          run: async () => deleteOldUsage(write, await earlierNow(write, clock())),
        },
      ],
      stop: () => keyUsage.flush(write),
    }
  },
}
