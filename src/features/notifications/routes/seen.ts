import { Type } from '@sinclair/typebox'
import type { Caller } from '../../../api/caller.js'
import { invalidField } from '../../../api/invalid-field.js'
import { textParameter } from '../../../api/parameters.js'
import { NotificationType } from '../../../graph/view/schema/notification.js'
import { OperationResponse } from '../../../graph/view/schema/operation-response.js'
import { defineOperation, type OperationContext } from '../../operation.js'
import { notificationKinds } from '../kinds.js'
import { markSeen } from '../mark-seen.js'

/** A token has some hundred characters; a header may hold 16 kB. */
const MAX_HEADER_LENGTH = 4_096

/** `POST notifications/seen` */
export const notificationsSeen = defineOperation({
  method: 'POST',
  path: 'notifications/seen',
  tag: 'Notifications',
  summary: 'Mark notifications as seen',
  description:
    'Marks all notifications that the user has now, or all of one type. The user is the one of ' +
    '`signer_uuid`, a signer with a write permission, or of a bearer token. If both are given, they must ' +
    'belong to the same user.',
  example: { reply: { success: true, message: 'all follows are marked as seen' } },
  headers: Type.Object({
    authorization: Type.Optional(
      textParameter({
        maxLength: MAX_HEADER_LENGTH,
        description: 'Bearer token of the user, instead of `signer_uuid`: `Bearer <token>`.',
        examples: ['Bearer eyJmaWQiOjN9.eyJleHAiOjE3Nzc2MzY4MDB9.c2lnbmF0dXJl'],
      }),
    ),
  }),
  body: Type.Object({
    signer_uuid: Type.Optional(
      textParameter({
        maxLength: 64,
        description: 'Signer of the user. Not required with a bearer token.',
        examples: ['19d0c5fd-9b33-4a48-a0e2-bc7b0555baec'],
      }),
    ),
    type: Type.Optional(NotificationType),
  }),
  reply: OperationResponse,
  notFound: 'There is no such signer.',
  forbidden: 'The signer belongs to another app, is not approved, is revoked, or may not write.',

  async handle(context, { signer_uuid: signerUuid, type }, caller, { authorization }) {
    const fid = await actingUser(context, caller, { signerUuid, authorization })
    const { writerDb, clock } = context
    await markSeen(writerDb, { fid, list: type ? [type] : notificationKinds, nowMs: clock() })
    return {
      success: true,
      message: type ? `all ${type} are marked as seen` : 'all notifications are marked as seen',
    }
  },
})

/** Checks both credentials if both are given, and returns their user. */
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
    throw invalidField('signer_uuid', 'belongs to another user than the bearer token')
  }
  return fid
}
