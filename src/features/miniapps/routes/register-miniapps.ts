import { Type } from '@sinclair/typebox'
import type { FastifyInstance } from 'fastify'
import { sendErrorResponse } from '../../../api/error-response.js'
import { acceptJson } from '../../../api/json-bodies.js'
import { textParameter } from '../../../api/parameters.js'
import { compileBody } from '../../../api/parse-body.js'
import { limitRequests } from '../../../platform/limits/limit-requests.js'
import { limits } from '../../../platform/limits/limits.js'
import type { OperationContext } from '../../operation.js'
import { receiveEvent } from '../events/event-receiver.js'
import { receiveNotification } from '../hosts/received-notifications.js'

/** What is done for clients and mini apps, which have no key of this API. */
export type MiniAppRouteOptions = Pick<OperationContext, 'writerDb' | 'miniapps' | 'clock'>

/** An event is a few hundred bytes, of which the address of the client is the most. */
const EVENT_BODY_BYTES = 16 * 1024
/** A hundred tokens of the longest kind. */
const NOTIFICATION_BODY_BYTES = 64 * 1024

interface AppRoute {
  readonly Params: { readonly clientId: string }
}

/** Of what others send by the protocol, members that are not known here are their matter. */
const additionalMembers = { additionalProperties: true }

const readEnvelope = compileBody(
  Type.Object(
    {
      header: textParameter({ description: 'Who signs.' }),
      payload: textParameter({ maxLength: 8_192, description: 'What is said.' }),
      signature: textParameter({ description: 'Over both.' }),
    },
    additionalMembers,
  ),
)

/** The bounds are the protocol's (docs/protocol.md §8.3). */
const readNotification = compileBody(
  Type.Object(
    {
      notificationId: textParameter({ maxLength: 128, description: 'The same one comes to a user once.' }),
      title: textParameter({ maxLength: 32, description: 'What is shown.' }),
      body: textParameter({ maxLength: 128, description: 'And below it.' }),
      targetUrl: textParameter({ maxLength: 1_024, description: 'What it opens.' }),
      tokens: Type.Array(textParameter({ maxLength: 512, description: 'For whom it is.' }), {
        minItems: 1,
        maxItems: 100,
      }),
    },
    additionalMembers,
  ),
)

/**
 * Adds what stands below `/f` (docs/miniapps.md): where client apps send their signed events, and where mini apps send
 * notifications to users of the apps of this server that open them.
 */
export async function registerMiniApps(
  app: FastifyInstance,
  { writerDb, miniapps, clock }: MiniAppRouteOptions,
): Promise<void> {
  await app.register(
    async (scope) => {
      sendErrorResponse(scope)
      limitRequests(scope, limits.miniAppRequests, { clock })
      acceptJson(scope)
      const parts = { db: writerDb, targetPolicy: miniapps.targetPolicy }
      scope.post<AppRoute>(
        '/app/:clientId/event',
        { bodyLimit: EVENT_BODY_BYTES },
        async ({ params, body }) => {
          const outcome = await receiveEvent(parts, params.clientId, readEnvelope(body))
          return {
            success: true,
            message: outcome === 'applied' ? 'the event is applied' : 'nothing has changed by this event',
          }
        },
      )
      scope.post('/host/notifications', { bodyLimit: NOTIFICATION_BODY_BYTES }, async ({ body }) => ({
        result: await receiveNotification(writerDb, readNotification(body), clock()),
      }))
    },
    { prefix: '/f' },
  )
}
