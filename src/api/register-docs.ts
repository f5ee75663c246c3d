import scalar from '@scalar/fastify-api-reference'
import type { FastifyInstance } from 'fastify'
import { type ApiDescription, openApiDocument } from './openapi.js'

/**
 * The page's script stands in its package, and its requests come here: the browser is told to load nothing from
 * elsewhere. The script compiles templates, which is `unsafe-eval`.
 */
const contentPolicy = [
  "default-src 'none'",
  "script-src 'self' 'unsafe-inline' 'unsafe-eval'",
  "style-src 'self' 'unsafe-inline'",
  "connect-src 'self'",
  "img-src 'self' data: blob:",
  "font-src 'self' data:",
  "worker-src 'self' blob:",
].join('; ')

/** Adds the description of the operations, at `/openapi.json`, and a page to read and try it, at `/docs`. */
export async function registerDocs(app: FastifyInstance, description: ApiDescription): Promise<void> {
  const document = openApiDocument(description)
  const json = JSON.stringify(document)
  app.get('/openapi.json', async (_request, reply) =>
    reply.header('access-control-allow-origin', '*').type('application/json; charset=utf-8').send(json),
  )
  await app.register(async (scope) => {
    scope.addHook('onSend', async (_request, reply) => {
      reply.header('content-security-policy', contentPolicy)
    })
    await scope.register(scalar, {
      routePrefix: '/docs',
      configuration: {
        content: document,
        pageTitle: 'Plaza API',
        withDefaultFonts: false,
        hideClientButton: true,
        showDeveloperTools: 'never',
        telemetry: false,
        agent: { disabled: true },
      },
    })
  })
}
