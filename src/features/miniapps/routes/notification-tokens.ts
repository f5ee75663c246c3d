import { Type } from '@sinclair/typebox'
import { cursorKind, keyPart } from '../../../api/cursor.js'
import { cursorParameter, fidParameter, limitParameter, listParameter } from '../../../api/parameters.js'
import { FrameNotificationTokens } from '../../../graph/view/schema/miniapp-tokens.js'
import { defineOperation } from '../../operation.js'
import { type ListedToken, listTokens } from '../tokens/tokens.js'

const cursors = cursorKind('notification tokens', keyPart.integer, keyPart.integer)

/** `GET frame/notification_tokens` */
export const notificationTokens = defineOperation({
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
    const [fid, clientFid] = cursors.decode(cursor) ?? []
    const found = await listTokens(db, appId, {
      fids: fids ?? null,
      limit: limit + 1,
      after: fid === undefined || clientFid === undefined ? null : { fid, clientFid },
    })
    const { page, next } = cursors.page(found, limit, (last) => [last.fid, last.clientFid])
    return {
      notification_tokens: page.map(presentToken),
      next,
    }
  },
})

function presentToken({ fid, clientFid, url, token, state, createdAt, updatedAt }: ListedToken) {
  return {
    object: 'notification_token' as const,
    fid,
    client_fid: clientFid,
    url,
    token,
    status: state,
    created_at: createdAt.toISOString(),
    updated_at: updatedAt.toISOString(),
  }
}
