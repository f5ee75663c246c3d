import { Type } from '@sinclair/typebox'
import type { Caller } from '../../../api/caller.js'
import { textParameter } from '../../../api/parameters.js'
import { PlazaError } from '../../../platform/errors.js'
import type { OperationContext } from '../../operation.js'
import type { RequiredPermission } from '../../signers/permissions.js'
import type { Author } from '../author.js'

/** What is said of 403, for the documentation. */
export const mayNotAct =
  'The signer is another app’s, is not approved (any more), or lacks the permission: `code` tells which.'

/** Who acts. */
export const signerUuidMember = textParameter({
  maxLength: 64,
  description: 'The signer to act through. It belongs to the app whose API key is sent.',
})

const MAX_IDEM_LENGTH = 128

/** What makes a repeat of a request one. */
export const idemMember = Type.Optional(
  Type.String({
    minLength: 1,
    maxLength: MAX_IDEM_LENGTH,
    description:
      'Names this request: repeated with the same, it returns the first answer and publishes nothing new. 16 random ' +
      'characters are recommended.',
  }),
)

/** What is said of 409, for the documentation. */
export const idemConflict = 'The `idem` was given to another request of this app.'

/**
 * Does something as the user whose signer a request names.
 *
 * @throws PlazaError as `findActingSigner`, also when the key is removed just now: then it is the hub that notices.
 */
export async function actAs<Result>(
  { signers }: Pick<OperationContext, 'signers'>,
  { signerUuid, caller, permission }: ActingContext,
  work: (author: Author) => Promise<Result>,
): Promise<Result> {
  const request = { signerUuid, appId: caller.appId, permission }
  const { fid, key } = await signers.find(request)
  try {
    return await work({ fid, key })
  } catch (error) {
    if (error instanceof PlazaError && error.code === 'bad_request.invalid_signer') {
      await signers.findFresh(request)
    }
    throw error
  }
}

/** Who asks to act, through whom, and for what. */
export interface ActingContext {
  readonly signerUuid: string
  readonly caller: Caller
  readonly permission: RequiredPermission
}
