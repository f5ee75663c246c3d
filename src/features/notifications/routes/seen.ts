import { Type } from '@sinclair/typebox'
import type { Caller } from '../../../api/caller.js'
import { invalidField } from '../../../api/invalid-field.js'
import { textParameter } from '../../../api/parameters.js'
import { NotificationType } from '../../../graph/view/schema/notification.js'
import { OperationResponse } from '../../../graph/view/schema/operation-response.js'
import { defineOperation, type OperationContext } from '../../operation.js'
import { notificationKinds } from '../kinds.js'
import { markSeen } from '../mark-seen.js'

/** A token is some hundred characters; a header may hold 16 kB. */
const MAX_HEADER_LENGTH = 4_096

/** `POST notifications/seen` */
export const notificationsSeen = defineOperation({
  method: 'POST',
  path: 'notifications/seen',
  tag: 'Notification',
  summary: 'Mark notifications as seen',
  description: [
    'All that the user has now, or all of a type. The user is told by `signer_uuid`, a signer with at least one write',
    'permission, or by a bearer token; where both are given they must be of one user.',
  ].join(' '),
  headers: Type.Object({
    authorization: Type.Optional(
      textParameter({
        maxLength: MAX_HEADER_LENGTH,
        description: 'A bearer token, instead of `signer_uuid`: `Bearer <token>`.',
      }),
    ),
  }),
  body: Type.Object({
    signer_uuid: Type.Optional(
      textParameter({ maxLength: 64, description: 'The signer. Not needed with a bearer token.' }),
    ),
    type: Type.Optional(NotificationType),
  }),
  reply: OperationResponse,
  notFound: 'There is no such signer.',
  forbidden: 'The signer is another app’s, not approved, revoked, or may not write.',

  async handle(context, { signer_uuid: signerUuid, type }, caller, { authorization }) {
    const fid = await actingUser(context, caller, { signerUuid, authorization })
    const { writerDb, clock } = context
    await markSeen(writerDb, { fid, list: type ? [type] : notificationKinds, nowMs: clock() })
    return { success: true, message: type ? `all ${type} are seen` : 'all notifications are seen' }
  },
})

/** Whatever is given is checked. */
async function actingUser(
  { signers, bearer }: OperationContext,
  { appId }: Caller,
  credentials: { readonly signerUuid: string | undefined; readonly authorization: string | undefined },
): Promise<number> {
  const { signerUuid, authorization } = credentials
  const [signer, token] = await Promise.all([
    signerUuid === undefined ? null : signers.findFresh({ signerUuid, appId, permission: 'any write' }),
    authorization === undefined ? null : bearer.verify(authorization),
  ])
  const fid = signer?.fid ?? token?.fid
  if (fid === undefined) {
    throw invalidField('signer_uuid', 'is required, unless the header authorization has a bearer token')
  }
  if (token && token.fid !== fid) {
    throw invalidField('signer_uuid', 'is of another user than the bearer token')
  }
  return fid
}
