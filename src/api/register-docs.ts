import type { FastifyInstance } from 'fastify'
import { openApiDocument } from './openapi.js'
import type { Operation } from './operation.js'

/** Adds the description of the operations, at `/openapi.json`. */
export function registerDocs(app: FastifyInstance, operations: readonly Operation[]): void {
  const document = JSON.stringify(openApiDocument(operations))
  app.get('/openapi.json', async (_request, reply) => reply.type('application/json').send(document))
}
