import type { FastifyInstance } from 'fastify'
import { DAY_SECONDS } from '../durations.js'

/** Browsers repeat a preflight after a day. */
const PREFLIGHT_SECONDS = DAY_SECONDS

const EXPOSED_HEADERS = [
  'deprecation',
  'location',
  'ratelimit-limit',
  'ratelimit-remaining',
  'ratelimit-reset',
  'retry-after',
  'x-ratelimit-limit',
  'x-ratelimit-remaining',
  'x-ratelimit-reset',
  'x-request-id',
].join(', ')

/** The main API and the hub API. */
const apiPath = /^\/v[12]\//
/** Beside them the documents of NFTs, which wallets read in their pages. */
const openPath = /^\/(v[12]|nft\/metadata)\//

/** Whether a URL is one of the main API or of the hub API. */
export function isApiPath(url: string): boolean {
  return apiPath.test(url)
}

/**
 * Headers that let pages of any origin read a reply to this URL (CORS). A reply of the APIs depends only on the API key,
 * never on cookies, and the documents of NFTs are the same for everybody. Other paths have none.
 */
export function corsHeadersOf(url: string): Readonly<Record<string, string>> {
  if (!openPath.test(url)) return {}
  return { 'access-control-allow-origin': '*', 'access-control-expose-headers': EXPOSED_HEADERS }
}

/**
 * Lets pages of any origin read all replies of the APIs, and documents of NFTs. A hook of the whole server, and before those that refuse: a
 * browser shows a refusal without these headers as a failure of the network.
 */
export function allowAnyOrigin(app: FastifyInstance): void {
  app.addHook('onRequest', (request, reply, done) => {
    reply.headers(corsHeadersOf(request.url))
    done()
  })
}

/**
 * Answers the preflights of a scope with these methods, between commas, and with the headers that are asked for: SDKs
 * name themselves in headers of their own. Who does not ask learns of `usualHeaders`.
 */
export function answerPreflights(scope: FastifyInstance, methods: string, usualHeaders: string): void {
  // Without the answer to a preflight, a browser does not even send the request that would be told to wait.
  scope.options('/*', { config: { isVital: true } }, async ({ headers }, reply) =>
    reply
      .header('access-control-allow-methods', methods)
      .header('access-control-allow-headers', headers['access-control-request-headers'] ?? usualHeaders)
      .header('access-control-max-age', PREFLIGHT_SECONDS)
      .status(204)
      .send(),
  )
}
