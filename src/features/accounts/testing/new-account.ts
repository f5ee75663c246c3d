import { type EthAccount, ethAccount, newPrivateKey } from '../../../hub/registry/eth-account.js'
import { hexOf } from '../../../protocol/bytes.js'
import { signAuthorization, transferAuthorization } from '../ledger/signed-authorizations.js'

/** The request of a user who registers an account. */
export interface RegistrationRequest {
  readonly fid: number
  readonly requested_user_custody_address: string
  readonly deadline: number
  readonly signature: string
}

/** Creates an address without a fid. */
export function newAccount(): EthAccount {
  return ethAccount(newPrivateKey())
}

/**
 * Builds a signed registration request.
 *
 * @param deadline Unix seconds.
 */
export async function registrationRequest(
  { address, signer }: EthAccount,
  { fid, deadline, nonce = 0n }: { readonly fid: number; readonly deadline: number; readonly nonce?: bigint },
): Promise<RegistrationRequest> {
  const authorization = transferAuthorization({ fid, to: address, nonce, deadline })
  const signature = await signAuthorization(authorization, { address, signer })
  return {
    fid,
    requested_user_custody_address: signer.address,
    deadline,
    signature: hexOf(signature),
  }
}
