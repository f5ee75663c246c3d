import { readFileSync } from 'node:fs'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { acceptJson } from '../../../api/json-bodies.js'
import { LocalRegistry } from '../../../hub/registry/registry.js'
import { PlazaError } from '../../../platform/errors.js'
import { limitRequests } from '../../../platform/limits/limit-requests.js'
import { limits } from '../../../platform/limits/limits.js'
import type { NetClient } from '../../../platform/outbound/net-client.js'
import { isNetFailure } from '../../../platform/outbound/net-failure.js'
import type { OperationContext } from '../../operation.js'
import { readKeyRequest } from '../key-request.js'
import { type AnswerContext, answers, isLocal, readStatus } from './approval-actions.js'
import { approvalPage, noRequestPage } from './approval-page.js'

/** Options of the approval page. */
export type ApprovalOptions = Pick<
  OperationContext,
  'db' | 'writerDb' | 'hub' | 'net' | 'network' | 'publicUrl' | 'clock'
>

/** Content security policy: only own resources, no inline script, no framing. */
const pagePolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self'",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ')
/** Pictures come from other hosts, so nothing in them may run. */
const picturePolicy = "default-src 'none'; sandbox"

const ASSET_SECONDS = 300
const PICTURE_SECONDS = 3600

const assetTypes = { css: 'text/css; charset=utf-8', js: 'text/javascript; charset=utf-8' }

interface TokenRoute {
  readonly Params: { readonly token: string }
}

/** Registers the approval page `/approve/<token>` and the resources below it. */
export async function registerApproval(app: FastifyInstance, options: ApprovalOptions): Promise<void> {
  const { db, writerDb, hub, network, clock } = options
  const context: AnswerContext = {
    readDb: db,
    db: writerDb,
    clock,
    network,
    registry: new LocalRegistry({ db: writerDb, hub, clock }),
  }
  await app.register(
    async (scope) => {
      limitRequests(scope, limits.approvalRequests, { clock })
      acceptJson(scope)
      scope.addHook('onSend', async (_request, reply) => protect(reply))
      addAssets(scope)
      scope.get<TokenRoute>('/:token', (request, reply) => sendPage(options, request, reply))
      scope.get<TokenRoute>('/:token/picture', (request, reply) =>
        sendPicture(options, request.params.token, reply),
      )
      scope.get<TokenRoute>('/:token/status', (request) => readStatus(context, request.params.token))
      for (const [name, answerOf] of Object.entries(answers)) {
        scope.post<TokenRoute>(`/:token/${name}`, (request) =>
          answerOf(context, request.params.token, request.body),
        )
      }
    },
    { prefix: '/approve' },
  )
}

/** Keeps the token in the URL from referrers and caches. */
function protect(reply: FastifyReply): void {
  reply.headers({
    'content-security-policy': reply.getHeader('content-security-policy') ?? pagePolicy,
    'cache-control': reply.getHeader('cache-control') ?? 'no-store',
    'referrer-policy': 'no-referrer',
    'x-content-type-options': 'nosniff',
    // Wallets that are web pages open in a popup of this window.
    'cross-origin-opener-policy': 'same-origin-allow-popups',
  })
}

function addAssets(scope: FastifyInstance): void {
  for (const [kind, type] of Object.entries(assetTypes)) {
    // The asset is beside this file in src (tests) and in dist, where the build copies it.
    const text = readFileSync(new URL(`./assets/approval.${kind}`, import.meta.url), 'utf8')
    scope.get(`/assets/approval.${kind}`, async (_request, reply) =>
      reply.header('cache-control', `public, max-age=${ASSET_SECONDS}`).type(type).send(text),
    )
  }
}

async function sendPage(
  { db, network, publicUrl, clock }: ApprovalOptions,
  request: FastifyRequest<TokenRoute>,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const { token } = request.params
  const [path = ''] = request.url.split('?')
  const toAssets = path.endsWith('/') ? '../' : ''
  reply.type('text/html; charset=utf-8')
  const found = await readKeyRequest(db, { token }).catch((error: unknown) => {
    if (error instanceof PlazaError && error.code === 'not_found') return null
    throw error
  })
  if (found === null) return reply.status(404).send(noRequestPage(toAssets))
  const url = `${publicUrl()}/approve/${token}`
  return reply.send(approvalPage(found, { isLocal: isLocal({ network }), toAssets, url, nowMs: clock() }))
}

async function sendPicture({ db, net }: ApprovalOptions, token: string, reply: FastifyReply) {
  const { app } = await readKeyRequest(db, { token })
  const picture = app.pfpUrl === null ? null : await fetchPicture(net, app.pfpUrl)
  if (picture === null) throw new PlazaError('not_found', 'the app has no picture, or it cannot be fetched')
  return reply
    .headers({
      'content-security-policy': picturePolicy,
      'cache-control': `private, max-age=${PICTURE_SECONDS}`,
    })
    .type(picture.type)
    .send(Buffer.from(picture.bytes))
}

const MAX_BYTES = 1024 * 1024
const DEADLINE_MS = 5_000
const MAX_REDIRECTS = 3

/** Accepted media types by their magic numbers in hex. SVG is excluded because it can run scripts. */
const kinds: readonly (readonly [type: string, start: RegExp])[] = [
  ['image/png', /^89504e470d0a1a0a/],
  ['image/jpeg', /^ffd8ff/],
  ['image/gif', /^47494638(37|39)61/],
  ['image/webp', /^52494646.{8}57454250/],
]
const START_BYTES = 16

/**
 * Fetches an account's picture, so that the page does not expose its reader's address to the picture's host.
 *
 * Returns null for a picture that is unreachable, too large or of another type.
 */
export async function fetchPicture(
  net: Pick<NetClient, 'request'>,
  url: string,
): Promise<{ readonly type: string; readonly bytes: Uint8Array } | null> {
  const bounds = { deadlineMs: DEADLINE_MS, maxBytes: MAX_BYTES, maxRedirects: MAX_REDIRECTS }
  const answer = await net.request({ url, ...bounds })
  if (isNetFailure(answer) || answer.status !== 200 || answer.isTruncated) return null
  const start = Buffer.from(answer.bytes.subarray(0, START_BYTES)).toString('hex')
  const [type] = kinds.find(([, pattern]) => pattern.test(start)) ?? []
  return type === undefined ? null : { type, bytes: answer.bytes }
}
