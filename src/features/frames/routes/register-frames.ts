import type { FastifyInstance, FastifyReply } from 'fastify'
import { handleErrors } from '../../../api/error-response.js'
import { acceptJson } from '../../../api/json-bodies.js'
import { PlazaError } from '../../../platform/errors.js'
import { limitRequests } from '../../../platform/limits/limit-requests.js'
import { limits } from '../../../platform/limits/limits.js'
import { parseUrl } from '../../../platform/text/parse-url.js'
import type { OperationContext } from '../../operation.js'
import { framePageHtml } from '../frame-page.js'
import { findFrame, frameLink } from '../hosted-frames.js'

/** The parts of the context that these routes need. Their callers have no API key. */
export type FrameRouteOptions = Pick<OperationContext, 'db' | 'publicUrl' | 'clock'>

interface PageRoute {
  readonly Params: { readonly frame: string; readonly page?: string; readonly button?: string }
}

const ACTION_BODY_BYTES = 64 * 1024
/** Pictures come from other hosts; nothing runs. */
const pagePolicy = "default-src 'none'; img-src https: http:; base-uri 'none'; form-action 'none'"

/** Adds the pages of hosted frames below `/f/frames`. Browsers and crawlers get them, clients post actions to them. */
export async function registerFrames(
  app: FastifyInstance,
  { db, publicUrl, clock }: FrameRouteOptions,
): Promise<void> {
  async function sendPage({ frame: uuid, page: pageUuid }: PageRoute['Params'], reply: FastifyReply) {
    const { pages } = await findFrame(db, uuid, null)
    const page = pageUuid === undefined ? pages[0] : pages.find((each) => each.uuid === pageUuid)
    if (page === undefined) throw new PlazaError('not_found', 'there is no such page')
    return reply
      .header('content-security-policy', pagePolicy)
      .type('text/html; charset=utf-8')
      .send(framePageHtml(page, frameLink(publicUrl(), uuid)))
  }

  await app.register(
    async (scope) => {
      handleErrors(scope)
      limitRequests(scope, limits.miniAppRequests, { clock })
      acceptJson(scope)
      for (const url of ['/:frame', '/:frame/:page']) {
        scope.route<PageRoute>({
          method: ['GET', 'POST'],
          url,
          bodyLimit: ACTION_BODY_BYTES,
          handler: ({ params }, reply) => sendPage(params, reply),
        })
      }
      scope.post<PageRoute>(
        '/:frame/:page/:button',
        { bodyLimit: ACTION_BODY_BYTES },
        async ({ params }, reply) => {
          const { pages } = await findFrame(db, params.frame, null)
          const page = pages.find(({ uuid }) => uuid === params.page)
          const button = page?.buttons?.find(({ index }) => String(index) === params.button)
          const target = parseUrl(button?.next_page?.redirect_url ?? '')
          if (target === null) throw new PlazaError('not_found', 'this button leads nowhere')
          // As written it may have letters that a header cannot hold.
          return reply.redirect(target.href, 302)
        },
      )
    },
    { prefix: '/f/frames' },
  )
}
