import type { FastifyInstance, FastifyRequest } from 'fastify'

/** Browsers repeat a preflight after a day. */
const PREFLIGHT_SECONDS = 86_400

/** Allows any origin to read the replies of a scope (CORS). They must not depend on cookies. */
export function allowAnyOrigin(scope: FastifyInstance, exposedHeaders?: string): void {
  scope.addHook('onRequest', async (_request, reply) => {
    reply.header('access-control-allow-origin', '*')
    if (exposedHeaders !== undefined) reply.header('access-control-expose-headers', exposedHeaders)
  })
}

/** Answers the preflights of a scope with these methods and headers, between commas. */
export function answerPreflights(
  scope: FastifyInstance,
  methods: string,
  headersFor: (request: FastifyRequest) => string,
): void {
  scope.options('/*', async (request, reply) =>
    reply
      .header('access-control-allow-methods', methods)
      .header('access-control-allow-headers', headersFor(request))
      .header('access-control-max-age', PREFLIGHT_SECONDS)
      .status(204)
      .send(),
  )
}
