import { type EthAccount, ethAccount, newPrivateKey } from '../../../hub/registry/eth-account.js'
import { hexOf } from '../../../protocol/bytes.js'
import { signAuthorization, transferAuthorization } from '../ledger/signed-authorizations.js'

/** What somebody sends who wants an account of their own. */
export interface RegistrationRequest {
  readonly fid: number
  readonly requested_user_custody_address: string
  readonly deadline: number
  readonly signature: string
}

/** An address that holds no fid yet. */
export function newAccount(): EthAccount {
  return ethAccount(newPrivateKey())
}

/** They agree to get a fid. @param deadline Unix seconds. */
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
