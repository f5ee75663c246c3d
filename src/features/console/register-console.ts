import { randomBytes } from 'node:crypto'
import { Type } from '@sinclair/typebox'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { type AdminCheck, notFromConsole } from '../../api/admin/admin-caller.js'
import { type FindSessionOf, SESSION_COOKIE } from '../../api/admin/session-cookie.js'
import { handleErrors } from '../../api/error-response.js'
import { acceptJson } from '../../api/json-bodies.js'
import { compileBody } from '../../api/parse-body.js'
import { refuseOtherSites } from '../../api/same-site.js'
import type { Database } from '../../platform/db/connection.js'
import { PlazaError } from '../../platform/errors.js'
import { clientAddress } from '../../platform/text/ip-address.js'
import { type ConsoleFiles, NONCE } from './console-files.js'
import {
  type ConsoleSession,
  endSession,
  redeemLogin,
  SESSION_SECONDS,
  startSession,
} from './console-sessions.js'

export interface ConsoleOptions {
  readonly db: Database
  readonly check: AdminCheck
  readonly findSessionOf: FindSessionOf<ConsoleSession>
  /** Null: it was not built. */
  readonly files: ConsoleFiles | null
  /** Called when a session ends. */
  readonly onSessionEnd: (sessionId: number) => void
}

/** Longest body: a token or the code of a link. */
const BODY_BYTES = 2_048
const YEAR_SECONDS = 31_536_000
const NONCE_BYTES = 16

const parseStart = compileBody(
  Type.Object({
    token: Type.Optional(Type.String({ minLength: 1, maxLength: 256 })),
    code: Type.Optional(Type.String({ minLength: 1, maxLength: 64 })),
  }),
)

/** Adds the web application below `/console`, and the sessions with which it uses the admin API. */
export async function registerConsole(app: FastifyInstance, options: ConsoleOptions): Promise<void> {
  await app.register(
    async (scope) => {
      handleErrors(scope)
      acceptJson(scope)
      addSessions(scope, options)
      addFiles(scope, options.files)
    },
    { prefix: '/console' },
  )
}

/** `POST`, `GET` and `DELETE /console/session`: signs a browser in, tells whether it is, and signs it out. */
function addSessions(
  scope: FastifyInstance,
  { db, check, findSessionOf, onSessionEnd }: ConsoleOptions,
): void {
  scope.addHook('onRequest', async (_request, reply) => {
    reply.header('cache-control', 'no-store')
  })

  scope.post('/session', { bodyLimit: BODY_BYTES }, async (request, reply) => {
    refuseOtherSites(request, notFromConsole)
    const origin = await redeem(request)
    const { 'user-agent': userAgent = '' } = request.headers
    const start = { origin, address: clientAddress(request.ip), userAgent }
    const earlier = await findSessionOf(request).catch(nullIfLimited)
    const { secret, session } = await startSession(db, start)
    if (earlier !== null) {
      await endSession(db, earlier.id)
      onSessionEnd(earlier.id)
    }
    return reply
      .header('set-cookie', cookie(request, secret, SESSION_SECONDS))
      .status(201)
      .send(sessionJson(session))
  })

  scope.get('/session', async (request) => sessionJson(await ownSession(request)))

  scope.delete('/session', async (request, reply) => {
    refuseOtherSites(request, notFromConsole)
    const session = await findSessionOf(request)
    if (session !== null) {
      await endSession(db, session.id)
      onSessionEnd(session.id)
    }
    return reply
      .header('set-cookie', cookie(request, '', 0))
      .status(204)
      .send()
  })

  async function redeem(request: FastifyRequest): Promise<'token' | 'link'> {
    const { token, code } = parseStart(request.body, { strict: true })
    if (token !== undefined) {
      check.checkToken(request, token)
      return 'token'
    }
    if (code === undefined) {
      throw new PlazaError('bad_request.invalid_param', 'token or code is needed', { property: 'token' })
    }
    check.refuseFlood(request)
    if (!(await redeemLogin(db, code))) {
      check.refuse(request, 'this link was used or is too old: `plaza console login` makes another')
    }
    return 'link'
  }

  async function ownSession(request: FastifyRequest): Promise<ConsoleSession> {
    const session = await findSessionOf(request)
    if (session === null) throw new PlazaError('unauthenticated', 'nobody is signed in')
    return session
  }
}

/** A sign-in goes on beside a flood of made-up cookies: an earlier session that was not found ends with its time. */
function nullIfLimited(error: unknown): null {
  if (error instanceof PlazaError && error.code === 'bad_request.rate_limited') return null
  throw error
}

function sessionJson({ expiresAt }: ConsoleSession): object {
  return { session: { expires_at: expiresAt.toISOString() } }
}

function cookie(request: FastifyRequest, secret: string, maxAgeSeconds: number): string {
  // A proxy that ends TLS need not be trusted for this: browsers name the origin of the page with each change.
  const isSecure = request.protocol === 'https' || request.headers.origin?.startsWith('https://')
  const secure = isSecure ? '; Secure' : ''
  return `${SESSION_COOKIE}=${secret}; Path=/; Max-Age=${maxAgeSeconds}; HttpOnly; SameSite=Strict${secure}`
}

/** The page for every path that is no file: the application has its own routes. */
function addFiles(scope: FastifyInstance, files: ConsoleFiles | null): void {
  scope.get<{ Params: { name: string } }>('/assets/:name', async (request, reply) => {
    const file = files?.assets.get(request.params.name)
    if (!file) throw new PlazaError('not_found', 'the console has no such file')
    return reply
      .header('cache-control', `public, max-age=${YEAR_SECONDS}, immutable`)
      .type(file.type)
      .send(file.bytes)
  })
  const sendPage = async (_request: FastifyRequest, reply: FastifyReply) => {
    if (files === null) throw new PlazaError('not_found', 'the console was not built: run `npm run build`')
    const nonce = randomBytes(NONCE_BYTES).toString('base64')
    return reply
      .headers({ ...pageHeaders, 'content-security-policy': policyOf(nonce) })
      .type('text/html; charset=utf-8')
      .send(files.page.replaceAll(NONCE, nonce))
  }
  scope.get('/', sendPage)
  scope.get('/*', sendPage)
}

const pageHeaders = {
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'cross-origin-opener-policy': 'same-origin',
} as const

/**
 * Only own resources, no inline script, no framing. Pictures of profiles and casts come from where their users have them.
 * The component library writes its variables into a style element, which has the nonce.
 */
function policyOf(nonce: string): string {
  return [
    "default-src 'none'",
    "script-src 'self'",
    `style-src 'self' 'nonce-${nonce}'`,
    "img-src 'self' data: https:",
    "font-src 'self'",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ')
}
