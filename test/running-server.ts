import { onTestFinished } from 'vitest'
import { type RunningServer, startServer } from '../src/app/compose.js'
import { readConfig } from '../src/app/config/config.js'
import { createLogger } from '../src/platform/log/logger.js'

/** The complete server in this process, with a client. */
export interface TestServer extends RunningServer {
  /** Fetches a reply of the main API: `get('user/bulk?fids=1')`. */
  get(path: string): Promise<ReturnType<typeof JSON.parse>>
  /** Sends a request to the main API: `send('POST', 'ban', { fids: [1] })`. */
  send(method: string, path: string, body?: object): Promise<Response>
}

const apiKey = 'a-key-for-the-test'

/**
 * Starts the server on a database of the test, until the test ends.
 *
 * @param onEnd `afterAll` for a server of the whole file.
 */
export async function startTestServer(
  databaseUrl: string,
  env: Readonly<Record<string, string>> = {},
  onEnd: (stop: () => Promise<void>) => void = onTestFinished,
): Promise<TestServer> {
  const result = readConfig({
    DATABASE_URL: databaseUrl,
    PORT: '0',
    VERIFY_THREADS: '0',
    // Score computation is off: its thread needs compiled code.
    SCORE_INTERVAL_HOURS: '0',
    PLAZA_DEV_API_KEY: apiKey,
    ...env,
  })
  if ('problems' in result) throw new Error(result.problems)
  const server = await startServer(result.config, createLogger('silent'))
  onEnd(() => server.stop())
  const send = (method: string, path: string, body?: object) =>
    fetch(`${server.urls.main}/v2/farcaster/${path}`, {
      method,
      headers: { 'x-api-key': apiKey, ...(body && { 'content-type': 'application/json' }) },
      ...(body && { body: JSON.stringify(body) }),
    })
  return { ...server, get: async (path) => await (await send('GET', path)).json(), send }
}
