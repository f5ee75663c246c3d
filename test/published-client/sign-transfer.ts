import { ID_REGISTRY_EIP_712_TYPES } from '@farcaster/core'
import type { EthAccount } from '../../src/hub/registry/eth-account.js'

/** What a new user's wallet is asked to sign, out of the protocol's own library and nothing of ours. */
export async function signTransfer(
  { signer }: EthAccount,
  { fid, deadline, nonce = 0n }: { readonly fid: number; readonly deadline: number; readonly nonce?: bigint },
): Promise<string> {
  return await signer.signTypedData({
    ...ID_REGISTRY_EIP_712_TYPES,
    primaryType: 'Transfer',
    message: { fid: BigInt(fid), to: signer.address, nonce, deadline: BigInt(deadline) },
  })
}
