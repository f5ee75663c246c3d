import type { ServerUrls } from '../app/servers.js'
import { hasActiveKeys } from '../features/apps/api-keys.js'
import { createLogin } from '../features/console/console-sessions.js'
import type { Database } from '../platform/db/connection.js'
import { consoleLink } from './console.js'

/** Details of a started server. */
export interface StartedServer {
  readonly urls: ServerUrls & { readonly grpc?: string }
  /** The key that was made because the database had none. */
  readonly developmentKey: string | null
  readonly db: Database
  /** Whether it serves the API. */
  readonly servesApi: boolean
  readonly hasConsole: boolean
}

/**
 * The lines that a server prints when it listens. After its first start they lead on: a key, a feed, the reference and the
 * console. A database without a key refuses every request, so they say how to make one.
 */
export async function startBanner(server: StartedServer): Promise<string[]> {
  const { urls, developmentKey, servesApi } = server
  return [
    ...(urls.hub === undefined ? [] : [`hub API on ${urls.hub}`]),
    ...(urls.grpc === undefined ? [] : [`hub over gRPC on ${urls.grpc}`]),
    ...(servesApi ? await firstSteps(server, developmentKey) : []),
    `listening on ${urls.main}`,
  ]
}

async function firstSteps(
  { urls: { main }, db, hasConsole }: StartedServer,
  key: string | null,
): Promise<string[]> {
  // The database may have gone away: the server listens all the same.
  if (key === null && (await hasActiveKeys(db).catch(() => true))) return []
  const login = hasConsole ? await createLogin(db).catch(() => null) : null
  const sentKey = key ?? '<key>'
  return [
    key === null
      ? 'API key: none in this database. Make one with: plaza key create --app my-app'
      : `API key: ${key}`,
    `try it: curl -H 'x-api-key: ${sentKey}' '${main}/v2/farcaster/feed/trending?limit=5'`,
    `docs: ${main}/docs`,
    ...(login === null ? [] : [`console: ${consoleLink(main, login)}`]),
  ]
}
