import type { FastifyInstance, FastifyRequest } from 'fastify'
import { JSON_TYPE } from '../../platform/http/content-type.js'
import { handleErrors } from '../error-response.js'
import { acceptJson } from '../json-bodies.js'
import type { AdminCaller, AdminCheck } from './admin-caller.js'
import type { ErasedAdminOperation } from './admin-operation.js'
import { type AuditLog, auditEntryOf, runAudited } from './audit-log.js'
import { withoutSecrets } from './redacted-body.js'

export interface AdminOptions<Context> {
  readonly operations: readonly ErasedAdminOperation<Context>[]
  readonly context: Context
  readonly check: AdminCheck
  readonly audit: AuditLog
  /** Adds routes that are no operations, such as streams. They need an admin, too. */
  readonly routes?: (scope: FastifyInstance) => void
}

/** Adds the operations below `/admin`. Every path needs an admin, also unknown ones. */
export async function registerAdmin<Context>(
  app: FastifyInstance,
  options: AdminOptions<Context>,
): Promise<void> {
  await app.register(
    async (scope) => {
      handleErrors(scope)
      acceptJson(scope)
      scope.decorateRequest('adminCaller', null)
      scope.addHook('onRequest', async (request, reply) => {
        request.setDecorator('adminCaller', await options.check.authenticate(request, reply))
      })
      for (const operation of options.operations) addOperation(scope, operation, options)
      options.routes?.(scope)
    },
    { prefix: '/admin' },
  )
}

function addOperation<Context>(
  scope: FastifyInstance,
  operation: ErasedAdminOperation<Context>,
  { context, audit }: AdminOptions<Context>,
): void {
  const { method, path } = operation
  async function runChange(request: FastifyRequest) {
    const caller = request.getDecorator<AdminCaller>('adminCaller')
    const params = withoutSecrets(request.params) ?? {}
    const entry = auditEntryOf(request, caller, `${method} ${path}`, params)
    const reply = await runAudited({ audit, log: request.log }, entry, () => operation.run(context, request))
    request.log.info({ method, path, params: request.params }, 'changed by admin')
    return reply
  }
  scope.route({
    method,
    url: `/${path.replaceAll(/\{(\w+)\}/g, ':$1')}`,
    handler: async (request, reply) => {
      const { status, json } = await (method === 'GET' ? operation.run(context, request) : runChange(request))
      return reply.status(status).type(JSON_TYPE).send(json)
    },
  })
}
