import { eip712, MessageType, Protocol, type VerificationAddAddressBody } from '@farcaster/core'
import { asBuffer } from '../bytes.js'
import { SIGNATURE_BYTES } from '../ed25519.js'
import { BASE_DATA_BYTES, type MessageKind, MessageSet } from '../message-kind.js'
import { schema, single } from '../wire-schema.js'
import { validateBlockHash, validateEthAddress, validateSolAddress } from './address.js'
import { checkVerificationClaim, VerificationType } from './verification-claim.js'

const MAX_ETH_CLAIM_SIGNATURE_BYTES = 2048
const CHAIN_IDS: readonly number[] = eip712.EIP_712_FARCASTER_VERIFICATION_CLAIM_CHAIN_IDS

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
  maxDataBytes: BASE_DATA_BYTES,
  validate: validateVerificationAdd,
  checkClaim: checkVerificationClaim,
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
      return 'invalid verification protocol'
  }
}

function validateEthClaim(body: VerificationAddAddressBody): string | null {
  if (body.claimSignature.length > MAX_ETH_CLAIM_SIGNATURE_BYTES) return 'claimSignature > 2048 bytes'
  if (!CHAIN_IDS.includes(body.chainId)) return 'invalid chain id'
  switch (body.verificationType) {
    case VerificationType.account:
      return body.chainId === 0 ? null : 'invalid chain id'
    case VerificationType.contract:
      return 'contract signatures cannot be verified: no RPC is configured'
    default:
      return 'invalid verification type'
  }
}

function validateSolClaim(body: VerificationAddAddressBody): string | null {
  return body.claimSignature.length === SIGNATURE_BYTES ? null : 'claimSignature != 64 bytes'
}
