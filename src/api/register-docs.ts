import scalar from '@scalar/fastify-api-reference'
import type { FastifyInstance } from 'fastify'
import { type ApiDescription, openApiDocument } from './openapi.js'

/**
 * The page's script is part of its package, and the browser may load nothing from other hosts. The script
 * compiles templates, which requires `unsafe-eval`.
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

/** Adds the OpenAPI document at `/openapi.json`, and a reference page at `/docs`. */
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
