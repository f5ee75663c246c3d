import { createHash } from 'node:crypto'
import { privateKeyToAccount } from 'viem/accounts'

/**
 * Registers a user by a wallet of an app: the address signs that it takes the fid that the wallet holds. The app gets a signer.
 *
 * @param write Sends a request of the app: method, path, body, id of the wallet.
 */
export async function registerUser(write, walletId, fname) {
  const deadline = Math.floor(Date.now() / 1000) + 86_400
  const custodyKey = `0x${createHash('sha256').update(`custody key of ${fname}`).digest('hex')}`
  const user = privateKeyToAccount(custodyKey)
  const { fid } = await write('GET', 'user/fid', undefined, walletId)
  const signature = await user.signTypedData({
    domain: {
      name: 'Farcaster IdRegistry',
      version: '1',
      chainId: 10,
      verifyingContract: '0x00000000Fc6c5F01Fc30151999387Bb99A9f489b',
    },
    types: {
      Transfer: [
        { name: 'fid', type: 'uint256' },
        { name: 'to', type: 'address' },
        { name: 'nonce', type: 'uint256' },
        { name: 'deadline', type: 'uint256' },
      ],
    },
    primaryType: 'Transfer',
    message: { fid: BigInt(fid), to: user.address, nonce: 0n, deadline: BigInt(deadline) },
  })
  const body = { fid, requested_user_custody_address: user.address, deadline, signature }
  const { signers } = await write(
    'POST',
    'user',
    { ...body, fname, metadata: { bio: 'just arrived' } },
    walletId,
  )
  return { fid, custodyKey, signer_uuid: signers[0].uuid }
}
