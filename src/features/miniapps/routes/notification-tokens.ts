import { Type } from '@sinclair/typebox'
import { cursorKind, keyPart } from '../../../api/cursor.js'
import { cursorParameter, fidParameter, limitParameter, listParameter } from '../../../api/parameters.js'
import { defineOperation, type Operation } from '../../operation.js'
import { lookTurn } from '../campaigns/selection-gates.js'
import { FrameNotificationTokens, NotificationTokenCounts } from '../schema/miniapp.js'
import { countTokens, listTokens } from '../tokens/tokens.js'

const tokenCursors = cursorKind('notification tokens', keyPart.integer, keyPart.integer)

/** `GET frame/notification_tokens` */
const notificationTokens = defineOperation({
  method: 'GET',
  path: 'frame/notification_tokens',
  tag: 'Mini apps',
  summary: 'List mini app notification tokens',
  description:
    'One entry for each user and client app that has granted a token, including disabled and invalid ' +
    'ones. Ordered by fid.',
  query: Type.Object({
    limit: limitParameter({ maximum: 100, default: 20 }),
    fids: Type.Optional(
      listParameter(fidParameter({ description: 'Fid of a user.' }), {
        maxItems: 100,
        description: 'Only tokens of these users.',
      }),
    ),
    cursor: cursorParameter,
  }),
  reply: FrameNotificationTokens,

  async handle({ db }, { limit, fids, cursor }, { appId }) {
    const found = await listTokens(db, appId, fids ?? null, limit + 1, tokenCursors.decode(cursor))
    const { page, next } = tokenCursors.page(found, limit, (last) => [last.fid, last.client_fid])
    return { notification_tokens: page, next }
  },
})

/** `GET frame/notification_tokens/count` */
const notificationTokenCounts = defineOperation({
  method: 'GET',
  path: 'frame/notification_tokens/count',
  tag: 'Mini apps',
  summary: 'Count mini app notification tokens by client',
  description:
    'The tokens of each client app by state, the client with the most enabled tokens first. This operation is ' +
    'Plaza’s own; the hosted API has none.',
  query: Type.Object({}),
  reply: NotificationTokenCounts,

  async handle({ db, campaigns }, _query, { appId }) {
    return { clients: await campaigns.look(lookTurn(appId), () => countTokens(db, appId)) }
  },
})

/** Operations on notification tokens. */
export const notificationTokenOperations: readonly Operation[] = [notificationTokens, notificationTokenCounts]
