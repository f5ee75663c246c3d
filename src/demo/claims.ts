import { createHash } from 'node:crypto'
import { type EthAccount, signatureBytes } from '../hub/registry/eth-account.js'
import { blockHash, blockNumberAt } from '../hub/registry/local-chain.js'
import { hexOf } from '../protocol/bytes.js'
import { MessageType, Protocol, UserNameProof, UserNameType } from '../protocol/definitions.js'
import { solanaClaim } from '../protocol/kinds/verification.js'
import type { MessageContent } from '../protocol/message.js'
import type { MessageSigner } from '../protocol/sign.js'
import { usernameProofClaim, verificationClaim } from '../protocol/signed-types.js'
import { fidOf } from './plan.js'

/** User, time and network of a claim. `at` is in Unix seconds. */
interface Claimant {
  readonly user: number
  readonly at: number
  readonly network: number
}

/** Creates the verification of an Ethereum account of the user (docs/protocol.md §3.3.6). */
export async function ethVerification(
  account: EthAccount,
  { user, at, network }: Claimant,
): Promise<MessageContent> {
  const hash = blockHash(blockNumberAt(at))
  const signature = await account.signer.signTypedData({
    ...verificationClaim,
    primaryType: 'VerificationClaim',
    message: { fid: BigInt(fidOf(user)), address: account.signer.address, blockHash: hexOf(hash), network },
  })
  return verification(account.address, signatureBytes(signature), hash, Protocol.ETHEREUM)
}

/** Creates the verification of a Solana wallet, whose address is its public key. */
export function solanaVerification(wallet: MessageSigner, { user, at, network }: Claimant): MessageContent {
  const address = wallet.publicKey
  const hash = createHash('sha256').update(`solana block ${at}`).digest()
  // The wallet signs the text itself. A signer signs any bytes.
  const claim = Buffer.from(solanaClaim({ address, blockHash: hash }, { fid: fidOf(user), network }))
  return verification(address, wallet.signHash(claim), hash, Protocol.SOLANA)
}

function verification(
  address: Buffer,
  claimSignature: Buffer,
  blockHash: Buffer,
  protocol: Protocol,
): MessageContent {
  return {
    type: MessageType.VERIFICATION_ADD_ETH_ADDRESS,
    verificationAddAddressBody: {
      address,
      claimSignature,
      blockHash,
      verificationType: 0,
      chainId: 0,
      protocol,
    },
  }
}

/** Creates the proof that an ENS name belongs to the user (docs/protocol.md §5.3). */
export async function ensProof(
  name: string,
  account: EthAccount,
  { user, at }: Claimant,
): Promise<MessageContent> {
  const signature = await account.signer.signTypedData({
    ...usernameProofClaim,
    primaryType: 'UserNameProof',
    message: { name, timestamp: BigInt(at), owner: account.signer.address },
  })
  return {
    type: MessageType.USERNAME_PROOF,
    usernameProofBody: UserNameProof.create({
      timestamp: at,
      name: Buffer.from(name),
      owner: account.address,
      signature: signatureBytes(signature),
      fid: fidOf(user),
      type: UserNameType.USERNAME_TYPE_ENS_L1,
    }),
  }
}
