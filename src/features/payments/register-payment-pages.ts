import { readFileSync } from 'node:fs'
import type { FastifyInstance, FastifyReply } from 'fastify'
import { publicChains } from '../../hub/chain/chains.js'
import { limitRequests } from '../../platform/limits/limit-requests.js'
import { limits } from '../../platform/limits/limits.js'
import type { OperationContext } from '../operation.js'
import { findPaymentFrame } from './payment-frames.js'
import { noPaymentPage, paymentPage, paymentStatus } from './payment-page.js'

/** Mini app hosts show the page in a frame; images of items come from other hosts. No inline script. */
const pagePolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' https:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
].join('; ')

const ASSET_SECONDS = 300

const assets = {
  'pay.css': 'text/css; charset=utf-8',
  'pay.js': 'text/javascript; charset=utf-8',
  'card.png': 'image/png',
}

interface FrameRoute {
  readonly Params: { readonly id: string }
}

/** Registers the pages of requested payments, `/pay/<id>`, and their state at `/pay/<id>/status`. */
export async function registerPaymentPages(
  app: FastifyInstance,
  {
    db,
    tokenTracking: { rpcs },
    publicUrl,
    clock,
  }: Pick<OperationContext, 'db' | 'tokenTracking' | 'publicUrl' | 'clock'>,
): Promise<void> {
  await app.register(
    async (scope) => {
      limitRequests(scope, limits.paymentPageRequests, { clock })
      for (const [name, type] of Object.entries(assets)) {
        // The asset is beside this file in src (tests) and in dist, where the build copies it.
        const bytes = readFileSync(new URL(`./assets/${name}`, import.meta.url))
        scope.get(`/assets/${name}`, async (_request, reply) =>
          reply.header('cache-control', `public, max-age=${ASSET_SECONDS}`).type(type).send(bytes),
        )
      }
      scope.get<FrameRoute>('/:id', async (request, reply) => {
        const { id } = request.params
        protect(reply).type('text/html; charset=utf-8')
        const frame = await findPaymentFrame(db, id)
        if (frame === null) return reply.status(404).send(noPaymentPage())
        const { chain } = rpcs.get(frame.network) ?? { chain: publicChains[frame.network] }
        const base = publicUrl()
        const context = {
          url: `${base}/pay/${frame.id}`,
          publicUrl: base,
          chainId: chain.chainId,
          nowMs: clock(),
        }
        return reply.send(paymentPage(frame, context))
      })
      scope.get<FrameRoute>('/:id/status', async (request, reply) => {
        const frame = await findPaymentFrame(db, request.params.id)
        protect(reply)
        if (frame === null) return reply.status(404).send({ status: null })
        return reply.send({ status: paymentStatus(frame, clock()) })
      })
    },
    { prefix: '/pay' },
  )
}

function protect(reply: FastifyReply): FastifyReply {
  return reply.headers({
    'content-security-policy': pagePolicy,
    'cache-control': 'no-store',
    'referrer-policy': 'no-referrer',
    'x-content-type-options': 'nosniff',
  })
}
