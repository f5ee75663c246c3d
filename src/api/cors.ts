import type { FastifyInstance } from 'fastify'
import { allowAnyOrigin, answerPreflights } from '../platform/http/cors.js'

const METHODS = 'GET, POST, PUT, PATCH, DELETE, OPTIONS'
const EXPOSED_HEADERS =
  'location, ratelimit-limit, ratelimit-remaining, ratelimit-reset, retry-after, x-request-id'

/** Allows any origin (CORS): a reply depends only on the API key, never on cookies. */
export function allowBrowsers(scope: FastifyInstance): void {
  allowAnyOrigin(scope, EXPOSED_HEADERS)
}

/** Answers the preflights of the main API, which takes any header. */
export function answerApiPreflights(scope: FastifyInstance): void {
  answerPreflights(scope, METHODS, ({ headers }) => headers['access-control-request-headers'] ?? 'x-api-key')
}
