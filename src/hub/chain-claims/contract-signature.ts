import {
  encodeDeployData,
  encodeFunctionData,
  erc6492SignatureValidatorAbi,
  erc6492SignatureValidatorByteCode,
  type Hex,
  isErc6492Signature,
  parseAbi,
} from 'viem'
import { callOrNull, isRevert } from '../chain/batch-call.js'
import type { Endpoint } from '../chain/endpoint.js'

/** A signature of a wallet, which may be a contract. */
export interface WalletSignature {
  readonly address: Hex
  /** 32 bytes. */
  readonly digest: Hex
  readonly signature: Hex
}

const walletAbi = parseAbi([
  'function isValidSignature(bytes32 digest, bytes signature) view returns (bytes4)',
])
/** Result of `isValidSignature` for a valid signature (ERC-1271), and its selector. */
const VALID = '0x1626ba7e'
/** Result of the validator of ERC-6492 for a valid signature: one byte. */
const TRUE = '0x01'

/**
 * Verifies the claim of a contract wallet as the reference node does (docs/protocol.md §6.2): a deployed wallet is asked
 * with the signature as it is; otherwise the validator of ERC-6492 decides, which deploys the wallet within the call.
 *
 * @throws the error of the RPC.
 */
export async function isClaimOfWallet(endpoint: Endpoint, signed: WalletSignature): Promise<boolean> {
  return (await endpoint.code(signed.address)) === '0x'
    ? await isValidUndeployed(endpoint, signed)
    : await isValidDeployed(endpoint, signed)
}

/**
 * Verifies what a wallet has signed to sign in. Wallets also wrap signatures by ERC-6492 that are deployed already: the
 * validator unwraps them.
 *
 * @throws the error of the RPC.
 */
export async function isSignedByWallet(endpoint: Endpoint, signed: WalletSignature): Promise<boolean> {
  return isErc6492Signature(signed.signature)
    ? await isValidUndeployed(endpoint, signed)
    : await isClaimOfWallet(endpoint, signed)
}

async function isValidDeployed(
  endpoint: Endpoint,
  { address, digest, signature }: WalletSignature,
): Promise<boolean> {
  const data = encodeFunctionData({ abi: walletAbi, args: [digest, signature] })
  return (await callOrNull(endpoint, { to: address, data }))?.startsWith(VALID) ?? false
}

async function isValidUndeployed(
  endpoint: Endpoint,
  { address, digest, signature }: WalletSignature,
): Promise<boolean> {
  const data = encodeDeployData({
    abi: erc6492SignatureValidatorAbi,
    bytecode: erc6492SignatureValidatorByteCode,
    args: [address, digest, signature],
  })
  try {
    return (await endpoint.runCreation(data)).startsWith(TRUE)
  } catch (error) {
    if (isRevert(error)) return false
    throw error
  }
}
