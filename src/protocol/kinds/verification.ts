import base58 from 'bs58'
import { hashTypedData } from 'viem'
import { type AccountRecovery, recoverClaimant } from '../account-recovery.js'
import { asBuffer, hexOf } from '../bytes.js'
import {
  type MessageData,
  MessageType,
  Protocol,
  type VerificationAddAddressBody,
  type VerificationRemoveBody,
} from '../definitions.js'

import { SIGNATURE_BYTES, verifyEd25519 } from '../ed25519.js'
import { INVALID_DATA, type MessageKind, MessageSet } from '../message-kind.js'
import { VERIFICATION_CHAIN_IDS, verificationClaim } from '../signed-types.js'
import { schema, single } from '../wire-schema.js'
import { validateBlockHash, validateEthAddress, validateSolAddress } from './address.js'
import { recoverSigner } from './typed-data.js'

/** Type of the signer: an account, or a contract (ERC-1271, ERC-6492). */
export const VerificationType = { account: 0, contract: 1 } as const
const verificationTypes: readonly number[] = Object.values(VerificationType)

const MAX_ETH_CLAIM_SIGNATURE_BYTES = 2048

const bodySchema = schema({
  1: single('bytes'),
  2: single('bytes'),
  3: single('bytes'),
  4: single('uint32'),
  5: single('uint32'),
  7: single('int32'),
})

/** VERIFICATION_ADD: an Ethereum or Solana address that claims to belong to the user. */
export const verificationAdd: MessageKind<VerificationAddAddressBody> = {
  type: MessageType.VERIFICATION_ADD_ETH_ADDRESS,
  set: MessageSet.verifications,
  side: 'add',
  bodyName: 'verificationAddAddressBody',
  wire: { field: 9, schema: bodySchema },
  validate: validateVerificationAdd,
  checkClaim: checkVerificationClaim,
  conflictKey: (body) => asBuffer(body.address),
}

/** VERIFICATION_REMOVE: removes a verified address. */
export const verificationRemove: MessageKind<VerificationRemoveBody> = {
  type: MessageType.VERIFICATION_REMOVE,
  set: MessageSet.verifications,
  side: 'remove',
  bodyName: 'verificationRemoveBody',
  wire: { field: 10, schema: schema({ 1: single('bytes'), 2: single('int32') }) },
  validate: validateVerificationRemove,
  conflictKey: (body) => asBuffer(body.address),
}

/** Limits: docs/protocol.md §3.3. */
function validateVerificationAdd(body: VerificationAddAddressBody): string | null {
  switch (body.protocol) {
    case Protocol.ETHEREUM:
      return validateEthAddress(body.address) ?? validateBlockHash(body.blockHash) ?? validateEthClaim(body)
    case Protocol.SOLANA:
      return validateSolAddress(body.address) ?? validateBlockHash(body.blockHash) ?? validateSolClaim(body)
    default:
      return INVALID_DATA
  }
}

function validateEthClaim(body: VerificationAddAddressBody): string | null {
  if (body.claimSignature.length > MAX_ETH_CLAIM_SIGNATURE_BYTES) return 'claimSignature > 2048 bytes'
  // The reference node reads 16 bits. The domain that an account signs has no chain.
  if (!VERIFICATION_CHAIN_IDS.includes(body.chainId & 0xffff)) return INVALID_DATA
  return verificationTypes.includes(body.verificationType) ? null : INVALID_DATA
}

function validateSolClaim(body: VerificationAddAddressBody): string | null {
  return body.claimSignature.length === SIGNATURE_BYTES ? null : 'claimSignature != 64 bytes'
}

function validateVerificationRemove(body: VerificationRemoveBody): string | null {
  switch (body.protocol) {
    case Protocol.ETHEREUM:
      return validateEthAddress(body.address)
    case Protocol.SOLANA:
      return validateSolAddress(body.address)
    default:
      return INVALID_DATA
  }
}

/** Returns what the claim of an address to a fid breaks (docs/protocol.md §3.3.6), or null. */
export async function checkVerificationClaim(
  body: VerificationAddAddressBody,
  data: MessageData,
  _message?: unknown,
  recover: AccountRecovery = recoverClaimant,
): Promise<string | null> {
  if (body.protocol === Protocol.SOLANA) {
    const claim = Buffer.from(solanaClaim(body, data))
    return verifyEd25519(body.claimSignature, claim, body.address) ? null : 'invalid signature'
  }
  // Whether a contract has signed is asked from its chain (docs/protocol.md §6.2).
  if (body.verificationType === VerificationType.contract) return null
  const signer = await recoverSigner(claimTypedData(body, data), body.claimSignature, recover)
  return signer?.equals(body.address) ? null : 'invalid claimSignature'
}

function claimTypedData(
  body: Pick<VerificationAddAddressBody, 'address' | 'blockHash'>,
  data: Pick<MessageData, 'fid' | 'network'>,
) {
  return {
    ...verificationClaim,
    primaryType: 'VerificationClaim',
    message: {
      fid: BigInt(data.fid),
      address: hexOf(body.address),
      blockHash: hexOf(body.blockHash),
      network: data.network,
    },
  } as const
}

/** Returns the digest that a contract wallet signs: that of an account, with the chain id in its domain. */
export function verificationClaimDigest(
  body: Pick<VerificationAddAddressBody, 'address' | 'blockHash' | 'chainId'>,
  data: Pick<MessageData, 'fid' | 'network'>,
): Buffer {
  const claim = claimTypedData(body, data)
  const digest = hashTypedData({ ...claim, domain: { ...claim.domain, chainId: body.chainId } })
  return Buffer.from(digest.slice(2), 'hex')
}

/** Returns the text that a Solana wallet signs. */
export function solanaClaim(
  body: Pick<VerificationAddAddressBody, 'address' | 'blockHash'>,
  data: Pick<MessageData, 'fid' | 'network'>,
): string {
  const address = base58.encode(asBuffer(body.address))
  const blockHash = base58.encode(asBuffer(body.blockHash))
  return `fid: ${data.fid} address: ${address} network: ${data.network} blockHash: ${blockHash} protocol: 1`
}
