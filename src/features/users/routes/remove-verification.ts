import { Type } from '@sinclair/typebox'
import { OperationResponse } from '../../../graph/view/schema/operation-response.js'
import { defineOperation } from '../../operation.js'
import { actAs, mayNotAct } from '../../publishing/routes/acting.js'
import { removeVerification } from '../../publishing/verifications.js'
import { claimOf, verificationMembers } from './verification-members.js'

/** What is taken back, as the published client sends it. */
export const RemoveVerificationReqBody = Type.Object(verificationMembers)

/** `DELETE user/verification` */
export const deleteVerification = defineOperation({
  method: 'DELETE',
  path: 'user/verification',
  tag: 'User',
  summary: 'Take a verified address back',
  description:
    'The signature is that of the verification, or another one of the same kind. A primary address goes with it.',
  body: RemoveVerificationReqBody,
  reply: OperationResponse,
  forbidden: mayNotAct,
  notFound: 'There is no such signer, or the user has not verified the address.',

  async handle(context, body, caller) {
    const acting = { signerUuid: body.signer_uuid, caller, permission: 'REMOVE_VERIFICATION' } as const
    return await actAs(context, acting, async (author) => {
      await removeVerification(context, author, claimOf(body))
      return { success: true, message: 'the address is no longer verified' }
    })
  },
})
