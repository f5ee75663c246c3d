import type { FastifyReply, FastifyRequest } from 'fastify'
import { PlazaError } from '../../platform/errors.js'
import type { Caller } from '../caller.js'
import { type ErasedOperation, isChange } from '../operation.js'
import type { AdminCaller, AdminCheck } from './admin-caller.js'
import { type AuditLog, auditEntryOf, runAudited } from './audit-log.js'
import { withoutSecrets } from './redacted-body.js'

/** The header in which an admin names the app whose request this is. */
export const APP_HEADER = 'x-plaza-app'

/** No key has this id: requests of admins are counted for no key. */
const ADMIN_KEY_ID = -1

/** Lets admins use the main API in the name of an app, without its key; the console and scripts of an operator do. */
export interface AdminAsApp {
  /** Finds out whose request it is; null when it names no app. Throws PlazaError when the caller is no admin. */
  admit(request: FastifyRequest, reply: FastifyReply): Promise<Caller | null>
  /** Returns the headers for the operation: the admin token is not among them, for the operation would take it for a user's. */
  headersOf(request: FastifyRequest): FastifyRequest['headers']
  /** Runs an operation; a change of an admin is in the audit log. */
  run<Reply extends { readonly status: number }>(
    request: FastifyRequest,
    operation: Pick<ErasedOperation<never>, 'method' | 'path' | 'isChange'>,
    run: () => Promise<Reply>,
  ): Promise<Reply>
}

export interface AdminAsAppOptions {
  readonly check: AdminCheck
  readonly audit: AuditLog
  /** The id of the app with this id or name; null when there is none. */
  readonly findAppId: (nameOrId: string) => Promise<string | null>
}

/** Creates what lets admins act for apps: they send {@link APP_HEADER} beside the admin token or the console's cookie. */
export function createAdminAsApp({ check, audit, findAppId }: AdminAsAppOptions): AdminAsApp {
  const admins = new WeakMap<FastifyRequest, AdminCaller & { readonly appId: string }>()
  return {
    async admit(request, reply) {
      const nameOrId = request.headers[APP_HEADER]
      if (typeof nameOrId !== 'string' || nameOrId === '') return null
      if (request.raw.rawHeaders.filter((name) => name.toLowerCase() === APP_HEADER).length > 1) {
        throw new PlazaError('bad_request.invalid_param', `${APP_HEADER} names several apps`, {
          property: APP_HEADER,
        })
      }
      const admin = await check.authenticateForOperation(request, reply)
      const appId = await findAppId(nameOrId)
      if (appId === null)
        throw new PlazaError('not_found', `there is no app ${nameOrId}`, { property: APP_HEADER })
      admins.set(request, { ...admin, appId })
      return { appId, keyId: ADMIN_KEY_ID, rateLimit: 0 }
    },

    headersOf(request) {
      if (admins.get(request)?.sessionId !== null) return request.headers
      const { authorization, ...headers } = request.headers
      return headers
    },

    async run(request, operation, run) {
      const admin = admins.get(request)
      const { method, path } = operation
      if (admin === undefined || !isChange(operation)) return await run()
      const name = `${method} ${path.startsWith('/') ? path.slice(1) : path}`
      const params = { app_id: admin.appId, ...(method === 'GET' && withoutSecrets(request.query)) }
      const entry = auditEntryOf(request, admin, name, params)
      return await runAudited({ audit, log: request.log }, entry, run)
    },
  }
}
