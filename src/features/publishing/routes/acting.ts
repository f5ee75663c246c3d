import type { Caller } from '../../../api/caller.js'
import { uuidParameter } from '../../../api/parameters.js'
import { isInvalidSigner } from '../../../hub/sender-refusals.js'
import { PlazaError } from '../../../platform/errors.js'
import type { OperationContext } from '../../operation.js'
import type { RequiredPermission } from '../../signers/acting-signer.js'
import type { Author } from '../author.js'

/** Documentation of 403. */
export const mayNotAct =
  'The signer belongs to another app, is not approved, is revoked, or lacks the permission: `code` tells which.'

/** The signer of a request. */
export const signerUuidMember = uuidParameter({
  description: 'UUID of the signer that acts. It must belong to the app of the API key.',
})

/**
 * Runs work as the user of the signer that a request names.
 *
 * @throws PlazaError as `findActingSigner`, also when the hub finds that the key was just removed.
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
    if (error instanceof PlazaError && isInvalidSigner(error)) {
      await signers.findFresh(request)
    }
    throw error
  }
}

/** The caller, the signer and the required permission. */
export interface ActingContext {
  readonly signerUuid: string
  readonly caller: Caller
  readonly permission: RequiredPermission
}
