import { eip712 } from '@farcaster/core'
import { type PrivateKeyAccount, privateKeyToAccount } from 'viem/accounts'
import { FarcasterNetwork } from '../../../../protocol/definitions.js'

/** An account whose address is verified in tests. */
export const wallet: PrivateKeyAccount = privateKeyToAccount(`0x${'21'.repeat(32)}`)

/** A wallet's agreement to belong to a user of the devnet, as requests bring it. */
export async function addressClaim(fid: number, block = 'b1') {
  const blockHash = `0x${block.repeat(32)}` as const
  const eth_signature = await wallet.signTypedData({
    domain: eip712.EIP_712_FARCASTER_DOMAIN,
    types: { VerificationClaim: eip712.EIP_712_FARCASTER_VERIFICATION_CLAIM },
    primaryType: 'VerificationClaim',
    message: { fid: BigInt(fid), address: wallet.address, blockHash, network: FarcasterNetwork.DEVNET },
  })
  return { address: wallet.address, block_hash: blockHash, eth_signature }
}
