import type { FastifyInstance, FastifyReply } from 'fastify'
import { PlazaError } from '../../../platform/errors.js'
import { inlineSources } from '../../../platform/http/content-policy.js'
import type { MethodContext } from '../hub-method.js'
import { meshTopologyJson, meshViewJson, meshViewText, readMeshView, shownTopics } from '../mesh-view.js'
import type { OperatorCheck } from '../operator-auth.js'
import { MESH_PAGE } from './mesh-page.js'
import { Parameters } from './parameters.js'

/** The page is inline, and reads the route beside it. */
const pagePolicy = [
  "default-src 'none'",
  `script-src ${inlineSources(MESH_PAGE, 'script')}`,
  `style-src ${inlineSources(MESH_PAGE, 'style')}`,
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ')

/** Adds `/mesh`, the operator's view of the network, and `/mesh/ui`, a page that shows it (docs/protocol.md §2.8). */
export function registerMesh(
  scope: FastifyInstance,
  context: MethodContext,
  checkOperator: OperatorCheck,
): void {
  scope.get('/mesh', async (request, reply) => {
    try {
      checkOperator(request.headers.authorization)
    } catch (error) {
      return refuseAdmin(error, reply)
    }
    const query = new Parameters(request.query)
    const view = await readMeshView(context)
    if (query.text('format') === 'ascii') {
      return reply
        .type('text/plain; charset=utf-8')
        .send(meshViewText(view, shownTopics(query.text('topics'))))
    }
    // Present without a value counts too.
    const { crawl } = (request.query ?? {}) as { readonly crawl?: unknown }
    const isCrawl = crawl !== undefined && crawl !== 'false' && crawl !== '0'
    return isCrawl ? meshTopologyJson(view) : meshViewJson(view)
  })
  scope.get('/mesh/ui', async (_request, reply) =>
    reply
      .type('text/html; charset=utf-8')
      .headers({ 'cache-control': 'no-store', 'content-security-policy': pagePolicy })
      .send(MESH_PAGE),
  )
}

/** The error body of the operator's routes has these two members, and no header asks a browser for a password. */
function refuseAdmin(error: unknown, reply: FastifyReply): FastifyReply {
  if (!(error instanceof PlazaError)) throw error
  return reply.status(401).send({ error: error.message, error_detail: null })
}
