import { Type } from '@sinclair/typebox'
import type { FastifyInstance } from 'fastify'
import { handleErrors } from '../../../api/error-response.js'
import { acceptJson } from '../../../api/json-bodies.js'
import { textParameter } from '../../../api/parameters.js'
import { compileBody } from '../../../api/parse-body.js'
import { limitRequests } from '../../../platform/limits/limit-requests.js'
import { limits } from '../../../platform/limits/limits.js'
import type { OperationContext } from '../../operation.js'
import { receiveEvent } from '../events/event-receiver.js'
import { receiveNotification } from '../hosts/received-notifications.js'

/** The parts of the context that these routes need. Their callers have no API key. */
export type MiniAppRouteOptions = Pick<OperationContext, 'writerDb' | 'miniapps' | 'savedTargets' | 'clock'>

/** An event has a few hundred bytes. */
const EVENT_BODY_BYTES = 16 * 1024
/** Room for a hundred tokens of maximum length. */
const NOTIFICATION_BODY_BYTES = 64 * 1024

interface AppRoute {
  readonly Params: { readonly clientId: string }
}

/** Unknown members are allowed: the protocol may grow. */
const additionalMembers = { additionalProperties: true }

const readEnvelope = compileBody(
  Type.Object(
    {
      header: textParameter({ description: 'The signer and its key.' }),
      payload: textParameter({ maxLength: 8_192, description: 'The event.' }),
      signature: textParameter({ description: 'The signature of both.' }),
    },
    additionalMembers,
  ),
)

/** The bounds of the protocol (docs/protocol.md §8.3). */
const readNotification = compileBody(
  Type.Object(
    {
      notificationId: textParameter({
        maxLength: 128,
        description: 'Id of the notification; a user gets it once.',
      }),
      title: textParameter({ maxLength: 32, description: 'Title.' }),
      body: textParameter({ maxLength: 128, description: 'Text.' }),
      targetUrl: textParameter({ maxLength: 1_024, description: 'URL to open.' }),
      tokens: Type.Array(textParameter({ maxLength: 512, description: 'Token of a user.' }), {
        minItems: 1,
        maxItems: 100,
      }),
    },
    additionalMembers,
  ),
)

/**
 * Adds the routes below `/f` (docs/miniapps.md): client apps send signed events, and mini apps send
 * notifications to users of the app hosts of this server.
 */
export async function registerMiniApps(
  app: FastifyInstance,
  { writerDb, miniapps, savedTargets, clock }: MiniAppRouteOptions,
): Promise<void> {
  await app.register(
    async (scope) => {
      handleErrors(scope)
      limitRequests(scope, limits.miniAppRequests, { clock })
      acceptJson(scope)
      const parts = { db: writerDb, targetPolicy: miniapps.targetPolicy, savedTargets }
      scope.post<AppRoute>(
        '/app/:clientId/event',
        { bodyLimit: EVENT_BODY_BYTES },
        async ({ params, body }) => {
          const outcome = await receiveEvent(parts, params.clientId, readEnvelope(body))
          return {
            success: true,
            message: outcome === 'applied' ? 'the event is applied' : 'the event changes nothing',
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
