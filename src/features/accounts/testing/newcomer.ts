import { type EthAccount, ethAccount, newPrivateKey } from '../../../hub/registry/eth-account.js'
import { hexOf } from '../../../protocol/bytes.js'
import { signConsent, transferConsent } from '../ledger/consents.js'

/** What somebody sends who wants an account of their own. */
export interface RegistrationAsked {
  readonly fid: number
  readonly requested_user_custody_address: string
  readonly deadline: number
  readonly signature: string
}

/** An address that holds no fid yet. */
export function newcomer(): EthAccount {
  return ethAccount(newPrivateKey())
}

/** They agree to get a fid. @param deadline Unix seconds. */
export async function registrationOf(
  { address, signer }: EthAccount,
  { fid, deadline, nonce = 0n }: { readonly fid: number; readonly deadline: number; readonly nonce?: bigint },
): Promise<RegistrationAsked> {
  const consent = transferConsent({ fid, to: address, nonce, deadline })
  const signature = await signConsent(consent, { address, signer })
  return {
    fid,
    requested_user_custody_address: signer.address,
    deadline,
    signature: hexOf(signature),
  }
}
