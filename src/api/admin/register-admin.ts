import type { FastifyInstance, FastifyRequest } from 'fastify'
import { describeError } from '../../platform/errors.js'
import { toPlazaError } from '../error-reply.js'
import { sendErrorResponse } from '../error-response.js'
import { acceptJson, JSON_TYPE } from '../json-bodies.js'
import type { AdminCaller, AdminCheck } from './admin-caller.js'
import type { AdminOperation } from './admin-operation.js'
import { type AuditLog, audited } from './audit-log.js'

export interface AdminOptions<Context> {
  readonly operations: readonly AdminOperation<Context>[]
  readonly context: Context
  readonly check: AdminCheck
  readonly audit: AuditLog
}

/** Adds the operations below `/admin`. Every path needs an admin, also unknown ones. */
export async function registerAdmin<Context>(
  app: FastifyInstance,
  options: AdminOptions<Context>,
): Promise<void> {
  await app.register(
    async (scope) => {
      sendErrorResponse(scope)
      acceptJson(scope)
      scope.decorateRequest('adminCaller', null)
      scope.addHook('onRequest', async (request, reply) => {
        request.setDecorator('adminCaller', await options.check.authenticate(request, reply))
      })
      for (const operation of options.operations) addOperation(scope, operation, options)
    },
    { prefix: '/admin' },
  )
}

function addOperation<Context>(
  scope: FastifyInstance,
  operation: AdminOperation<Context>,
  { context, audit }: AdminOptions<Context>,
): void {
  const { method, path, secrets } = operation
  async function runAudited(request: FastifyRequest) {
    const id = await audit.begin({
      sessionId: request.getDecorator<AdminCaller>('adminCaller').sessionId,
      address: request.ip,
      operation: `${method} ${path}`,
      params: audited(request.params) ?? {},
      body: audited(request.body, secrets),
    })
    try {
      const reply = await operation.run(context, request)
      await audit.end(id, { status: reply.status, error: null })
      request.log.info({ method, path, params: request.params }, 'changed by admin')
      return reply
    } catch (cause) {
      const { code } = toPlazaError(cause)
      await audit.end(id, { status: describeError(code).status, error: code })
      throw cause
    }
  }
  scope.route({
    method,
    url: `/${path.replaceAll(/\{(\w+)\}/g, ':$1')}`,
    handler: async (request, reply) => {
      const { status, json } = await (method === 'GET'
        ? operation.run(context, request)
        : runAudited(request))
      return reply.status(status).type(JSON_TYPE).send(json)
    },
  })
}
