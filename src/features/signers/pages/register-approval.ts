import { readFileSync } from 'node:fs'
import { extname } from 'node:path'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { acceptJson } from '../../../api/json-bodies.js'
import { lookupsFor } from '../../../hub/chain-claims/chain-lookups.js'
import { LocalRegistry } from '../../../hub/registry/registry.js'
import { PlazaError } from '../../../platform/errors.js'
import { callerAt } from '../../../platform/limits/caller-name.js'
import { limitRequests } from '../../../platform/limits/limit-requests.js'
import { limits } from '../../../platform/limits/limits.js'
import type { OperationContext } from '../../operation.js'
import { readKeyRequest } from '../key-request.js'
import { type AnswerContext, answers, isLocal, readStatus } from './approval-actions.js'
import { approvalPage, noRequestPage } from './approval-page.js'
import { protectPage } from './page-headers.js'
import { sendPicture } from './picture.js'

/** Options of the approval page. */
export type ApprovalOptions = Pick<
  OperationContext,
  'db' | 'writerDb' | 'hub' | 'lookups' | 'net' | 'network' | 'publicUrl' | 'clock'
>

const ASSET_SECONDS = 300
/** An answer is a signature, of up to 8 kB, and a list of permissions. These routes need no key. */
const ANSWER_BODY_BYTES = 16 * 1024

/** Style and scripts of the approval page and the login page. */
const assets = ['approval.css', 'approval.js', 'login.js', 'answer.js', 'wallet.js']
const assetTypes: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
}

interface TokenRoute {
  readonly Params: { readonly token: string }
}

/** Registers the approval page `/approve/<token>` and the resources below it. */
export async function registerApproval(app: FastifyInstance, options: ApprovalOptions): Promise<void> {
  const { db, writerDb, hub, lookups, net, network, clock } = options
  const context: AnswerContext = {
    readDb: db,
    db: writerDb,
    lookups,
    clock,
    network,
    registry: new LocalRegistry({ db: writerDb, hub, clock }),
  }
  await app.register(
    async (scope) => {
      // Wallets that are web pages open in a popup of this window.
      scope.addHook('onRequest', async (_request, reply) => protectPage(reply, 'same-origin-allow-popups'))
      limitRequests(scope, limits.approvalRequests, { clock })
      acceptJson(scope)
      addAssets(scope)
      scope.get<TokenRoute>('/:token', (request, reply) => sendPage(options, request, reply))
      scope.get<TokenRoute>('/:token/picture', async (request, reply) => {
        const { app: asking } = await readKeyRequest(db, { token: request.params.token })
        return sendPicture(net, asking.pfpUrl, reply)
      })
      scope.get<TokenRoute>('/:token/status', (request) => readStatus(context, request.params.token))
      for (const [name, answerOf] of Object.entries(answers)) {
        scope.post<TokenRoute>(`/:token/${name}`, { bodyLimit: ANSWER_BODY_BYTES }, (request) =>
          answerOf(
            { ...context, lookups: lookupsFor(context.lookups, callerAt(request.ip)) },
            request.params.token,
            request.body,
          ),
        )
      }
    },
    { prefix: '/approve' },
  )
}

function addAssets(scope: FastifyInstance): void {
  for (const name of assets) {
    // The asset is beside this file in src (tests) and in dist, where the build copies it.
    const text = readFileSync(new URL(`./assets/${name}`, import.meta.url), 'utf8')
    const type = assetTypes[extname(name)]!
    scope.get(`/assets/${name}`, async (_request, reply) =>
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
