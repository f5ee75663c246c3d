import type { FastifyInstance } from 'fastify'
import type { FindCaller } from './api/api-keys.js'
import { operations } from './api/operations.js'
import { createRateLimiter } from './api/rate-limit.js'
import { registerApi } from './api/register-api.js'
import { registerDocs } from './api/register-docs.js'
import { createDevelopmentKey } from './apps/development-key.js'
import { createKeyRing } from './apps/key-ring.js'
import type { Config } from './config.js'
import type { Database } from './db/connection.js'
import type { Crawler } from './embeds/crawler.js'
import type { Hydrator } from './hydrate/hydrator.js'
import type { Log } from './lib/log.js'
import type { Chore } from './maintenance.js'

/** The main API, to be hung into a server. */
export interface MainApi {
  readonly routes: (app: FastifyInstance) => Promise<void>
  readonly findCaller: FindCaller
  /** What is to be done now and again while it runs. */
  readonly chores: readonly Chore[]
  /** The key that was made because the database had none. */
  readonly developmentKey: string | null
}

export interface MainApiParts {
  /** For reads. */
  readonly db: Database
  readonly writerDb: Database
  readonly hydrator: Hydrator
  readonly crawler: Crawler
}

const KEY_USE_MS = 60_000

/** Puts the main API together. */
export async function openMainApi(
  config: Config,
  { db, writerDb, hydrator, crawler }: MainApiParts,
  log: Log,
): Promise<MainApi> {
  const clock = Date.now
  const keyRing = createKeyRing(db, clock)
  const developmentKey = await firstKey(config, writerDb)
  const chosen = config.plazaDevApiKey
  if (developmentKey === null && chosen !== undefined && !(await keyRing.find(chosen))) {
    log.warn({}, 'PLAZA_DEV_API_KEY is not used: the database has other API keys already')
  }
  const rateLimiter = createRateLimiter(config.apiRateLimit, clock)
  return {
    routes: async (app) => {
      await registerApi(app, {
        operations,
        context: { db, hydrator, crawler, clock },
        findCaller: keyRing.find,
        rateLimiter,
      })
      await registerDocs(app, operations)
    },
    findCaller: keyRing.find,
    chores: [{ name: 'use of API keys', everyMs: KEY_USE_MS, run: () => keyRing.saveUse(writerDb) }],
    developmentKey,
  }
}

/** A database that somebody else runs gets a key of ours only when one was chosen for it. */
async function firstKey(config: Config, writerDb: Database): Promise<string | null> {
  const chosen = config.plazaDevApiKey
  if (config.databaseUrl !== undefined && chosen === undefined) return null
  return createDevelopmentKey(writerDb, chosen)
}
