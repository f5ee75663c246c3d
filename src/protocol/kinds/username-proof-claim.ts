import { eip712, type UserNameProof } from '@farcaster/core'
import { type AccountRecovery, recoverAccount } from '../account-recovery.js'
import { hexOf } from '../bytes.js'
import { recoverSigner } from './typed-data.js'

/**
 * Whether the account at `owner` (or at `signer`, where somebody else vouches: the fname registry) signed the
 * name proof (docs/protocol.md §5.3, UserNameProof). A contract's signature never verifies here.
 */
export async function verifyUsernameProof(
  proof: UserNameProof,
  signer = proof.owner,
  recover: AccountRecovery = recoverAccount,
): Promise<boolean> {
  const recovered = await recoverSigner(
    {
      domain: eip712.EIP_712_USERNAME_DOMAIN,
      types: { UserNameProof: eip712.EIP_712_USERNAME_PROOF },
      primaryType: 'UserNameProof',
      message: {
        name: Buffer.from(proof.name).toString('utf8'),
        timestamp: BigInt(proof.timestamp),
        owner: hexOf(proof.owner),
      },
    },
    proof.signature,
    recover,
  )
  return recovered?.equals(signer) ?? false
}
