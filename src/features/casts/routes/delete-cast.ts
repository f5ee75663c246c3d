import { Type } from '@sinclair/typebox'
import { castHashParameter } from '../../../api/parameters.js'
import { OperationResponse } from '../../../graph/view/schema/operation-response.js'
import { defineOperation } from '../../operation.js'
import { removeCast } from '../../publishing/casts.js'
import { actAs, mayNotAct, signerUuidMember } from '../../publishing/routes/acting.js'

/** What is deleted, as the published client sends it. */
export const DeleteCastReqBody = Type.Object({
  signer_uuid: signerUuidMember,
  target_hash: castHashParameter({ description: 'The hash of the cast.' }),
})

/** `DELETE cast` */
export const deleteCast = defineOperation({
  method: 'DELETE',
  path: 'cast',
  tag: 'Cast',
  summary: 'Delete a cast',
  description:
    'One of the signer’s user. What is deleted already stays deleted; it cannot be published again.',
  body: DeleteCastReqBody,
  reply: OperationResponse,
  forbidden: `${mayNotAct} Or the cast is somebody else’s.`,
  notFound: 'There is no such signer or cast.',

  async handle(context, { signer_uuid: signerUuid, target_hash: hash }, caller) {
    const targetHash = Buffer.from(hash.replace(/^0x/, ''), 'hex')
    return await actAs(context, { signerUuid, caller, permission: 'DELETE_CAST' }, async (author) => {
      await removeCast(context, author, targetHash)
      return { success: true, message: 'the cast is deleted' }
    })
  },
})
