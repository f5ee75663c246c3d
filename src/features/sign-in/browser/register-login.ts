import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { acceptJson } from '../../../api/json-bodies.js'
import { lookupsFor } from '../../../hub/chain-claims/chain-lookups.js'
import { describeError, PlazaError } from '../../../platform/errors.js'
import { callerAt } from '../../../platform/limits/caller-name.js'
import { limitRequests } from '../../../platform/limits/limit-requests.js'
import { limits } from '../../../platform/limits/limits.js'
import { checkReturnUrl } from '../../apps/authorized-origins.js'
import type { OperationContext } from '../../operation.js'
import { isLocal } from '../../signers/pages/approval-actions.js'
import { protectPage } from '../../signers/pages/page-headers.js'
import { sendPicture } from '../../signers/pages/picture.js'
import { type LoginContext, loginActions } from './login-actions.js'
import { loginPage, loginProblemPage } from './login-page.js'
import { findSignInApp } from './sign-in-app.js'

/** Options of the login page. */
export type LoginOptions = LoginContext & Pick<OperationContext, 'db' | 'net'>

/** Longest body: a session with two URLs, or a signature. */
const BODY_BYTES = 16 * 1024

interface LoginRoute {
  readonly Querystring: Readonly<Record<string, string | string[] | undefined>>
}

/** Registers the login page `/login?client_id=` and the actions below it. */
export async function registerLogin(app: FastifyInstance, options: LoginOptions): Promise<void> {
  const { db, net, clock } = options
  await app.register(
    async (scope) => {
      // The page of the app has to stay the opener of this one, to get its message.
      scope.addHook('onRequest', async (_request, reply) => protectPage(reply, 'unsafe-none'))
      limitRequests(scope, limits.loginRequests, { clock })
      acceptJson(scope)
      scope.get<LoginRoute>('/', (request, reply) => sendPage(options, request, reply))
      scope.get<LoginRoute>('/picture', async (request, reply) => {
        const { pfpUrl } = await findSignInApp(db, textOf(request.query.client_id))
        return sendPicture(net, pfpUrl, reply)
      })
      for (const [name, act] of Object.entries(loginActions)) {
        scope.post(`/${name}`, { bodyLimit: BODY_BYTES }, async (request) => {
          refuseOtherSites(request)
          const lookups = lookupsFor(options.lookups, callerAt(request.ip))
          return act({ ...options, lookups }, request.body)
        })
      }
    },
    { prefix: '/login' },
  )
}

async function sendPage(
  { db, network }: LoginOptions,
  request: FastifyRequest<LoginRoute>,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const { client_id, redirect_uri, deeplink_url } = request.query
  const [path = ''] = request.url.split('?')
  const toRoot = path.endsWith('/') ? '../' : ''
  reply.type('text/html; charset=utf-8')
  try {
    const app = await findSignInApp(db, textOf(client_id))
    for (const [property, url] of Object.entries({ redirect_uri, deeplink_url })) {
      if (url !== undefined) checkReturnUrl(textOf(url), app.authorizedOrigins, property)
    }
    return reply.send(loginPage(app, { isLocal: isLocal({ network }), toRoot }))
  } catch (error) {
    if (!(error instanceof PlazaError)) throw error
    return reply.status(describeError(error.code).status).send(loginProblemPage(error.message, { toRoot }))
  }
}

/** A parameter that a URL repeats counts as none. */
function textOf(parameter: string | string[] | undefined): string {
  return typeof parameter === 'string' ? parameter : ''
}

/**
 * Refuses actions that a page of another site requests. Such a page can send no JSON, since the server allows
 * it by no CORS header, and knows no session; this holds even where a proxy adds such headers.
 */
function refuseOtherSites({ headers }: FastifyRequest): void {
  const site = headers['sec-fetch-site']
  if (site === undefined || site === 'same-origin') return
  throw new PlazaError('forbidden', 'only the login page itself may do this')
}
