import { Type } from '@sinclair/typebox'
import { OperationResponse } from '../../../graph/view/schema/operation-response.js'
import { defineOperation } from '../../operation.js'
import { actAs, mayNotAct } from '../../publishing/routes/acting.js'
import { publishVerification } from '../../publishing/verifications.js'
import { claimOf, verificationMembers } from './verification-members.js'

const oneOf = <const Value extends number>(values: readonly Value[], description: string) =>
  Type.Optional(
    Type.Unsafe<Value>(
      Type.Union(
        values.map((value) => Type.Literal(value)),
        { patternText: `one of ${values.join(', ')}`, description },
      ),
    ),
  )

/** What is verified, as the published client sends it. */
export const AddVerificationReqBody = Type.Object({
  ...verificationMembers,
  verification_type: oneOf(
    [0, 1],
    '0, the default: an account has signed. 1: a contract; not supported, as it needs a chain.',
  ),
  chain_id: oneOf([0, 1, 10], 'Of a contract. 0, the default, for an account.'),
})

/** `POST user/verification` */
export const addVerification = defineOperation({
  method: 'POST',
  path: 'user/verification',
  tag: 'User',
  summary: 'Verify an address',
  description: 'The address agrees to belong to the user by its signature, which is checked.',
  body: AddVerificationReqBody,
  reply: OperationResponse,
  forbidden: mayNotAct,
  notFound: 'There is no such signer.',

  async handle(context, body, caller) {
    const acting = { signerUuid: body.signer_uuid, caller, permission: 'ADD_VERIFICATION' } as const
    return await actAs(context, acting, async (author) => {
      await publishVerification(context, author, claimOf(body), {
        chainId: body.chain_id ?? 0,
        verificationType: body.verification_type ?? 0,
      })
      return { success: true, message: 'the address is verified' }
    })
  },
})
