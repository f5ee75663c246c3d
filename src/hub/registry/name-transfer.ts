import { hexOf } from '../../protocol/bytes.js'
import { UserNameProof, UserNameType } from '../../protocol/definitions.js'
import { usernameProofClaim } from '../../protocol/signed-types.js'
import { type EthAccount, localAccount, signatureBytes } from './eth-account.js'

/** A transfer of an fname. */
export interface NameTransfer {
  readonly name: string
  /** New holder; 0 releases the name. */
  readonly fid: number
  /** Custody address of the holder, 20 bytes; of the previous holder if the name is released. */
  readonly owner: Buffer
  /** Unix seconds. */
  readonly timestamp: number
}

let registry: EthAccount | undefined

/** Signs a transfer as the fname registry of a development network (docs/protocol.md §7.2). */
export async function signNameTransfer(transfer: NameTransfer): Promise<UserNameProof> {
  registry ??= localAccount('fname registry')
  const { name, owner, timestamp, fid } = transfer
  const signature = await registry.signer.signTypedData({
    ...usernameProofClaim,
    primaryType: 'UserNameProof',
    message: { name, timestamp: BigInt(timestamp), owner: hexOf(owner) },
  })
  return UserNameProof.create({
    timestamp,
    name: Buffer.from(name),
    owner,
    signature: signatureBytes(signature),
    fid,
    type: UserNameType.USERNAME_TYPE_FNAME,
  })
}
