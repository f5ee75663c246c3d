import { generateKeyPairSync, sign } from 'node:crypto'
import {
  eip712,
  encodeGaslessSignedKeyRequestMetadata,
  GASLESS_KEY_ADD_EIP_712_TYPES,
  GASLESS_KEY_REMOVE_EIP_712_TYPES,
  GASLESS_SIGNED_KEY_REQUEST_EIP_712_TYPES,
} from '@farcaster/core'
import { type PrivateKeyAccount, privateKeyToAccount } from 'viem/accounts'
import { hexOf } from '../bytes.js'
import {
  FarcasterNetwork,
  KeyAddBody,
  KeyRemoveBody,
  type MessageType,
  Protocol,
  UserNameProof,
  type UserNameType,
  VerificationAddAddressBody,
} from '../definitions.js'
import { solanaClaim } from '../kinds/verification.js'

/** The account of the names, custody and verified address in sample messages. */
export const sampleAccount: PrivateKeyAccount = privateKeyToAccount(`0x${'17'.repeat(32)}`)
export const sampleAddress = bytesOf(sampleAccount.address)

const BLOCK_HASH = Buffer.alloc(32, 0xb1)
const NETWORK = FarcasterNetwork.MAINNET

/** Builds the body that verifies the sample account for a user. */
export async function ethVerification(fid: number): Promise<VerificationAddAddressBody> {
  const claimSignature = await sampleAccount.signTypedData({
    domain: eip712.EIP_712_FARCASTER_DOMAIN,
    types: { VerificationClaim: eip712.EIP_712_FARCASTER_VERIFICATION_CLAIM },
    primaryType: 'VerificationClaim',
    message: {
      fid: BigInt(fid),
      address: sampleAccount.address,
      blockHash: hexOf(BLOCK_HASH),
      network: NETWORK,
    },
  })
  return {
    ...VerificationAddAddressBody.create(),
    address: sampleAddress,
    blockHash: BLOCK_HASH,
    claimSignature: bytesOf(claimSignature),
  }
}

/** Builds the body that verifies a new Solana address for a user. */
export function solVerification(fid: number): VerificationAddAddressBody {
  const { publicKey, privateKey } = generateKeyPairSync('ed25519')
  const address = Buffer.from(publicKey.export({ format: 'jwk' }).x!, 'base64url')
  const claim = solanaClaim({ address, blockHash: BLOCK_HASH }, { fid, network: NETWORK })
  return {
    ...VerificationAddAddressBody.create(),
    protocol: Protocol.SOLANA,
    address,
    blockHash: BLOCK_HASH,
    claimSignature: sign(null, Buffer.from(claim), privateKey),
  }
}

/** Signs a name proof. `timestamp` is in Unix seconds. */
export async function nameProof(
  fid: number,
  name: string,
  type: UserNameType,
  timestamp: number,
): Promise<UserNameProof> {
  const signature = await sampleAccount.signTypedData({
    domain: eip712.EIP_712_USERNAME_DOMAIN,
    types: { UserNameProof: eip712.EIP_712_USERNAME_PROOF },
    primaryType: 'UserNameProof',
    message: { name, timestamp: BigInt(timestamp), owner: sampleAccount.address },
  })
  return {
    ...UserNameProof.create(),
    fid,
    type,
    timestamp,
    name: Buffer.from(name),
    owner: sampleAddress,
    signature: bytesOf(signature),
  }
}

/** Builds a KEY_ADD body for `fid`, requested by `fid` itself. `deadline` is in Farcaster seconds. */
export async function keyAddition(
  fid: number,
  key: Buffer,
  scopes: MessageType[],
  deadline: number,
): Promise<KeyAddBody> {
  const request = { requestFid: BigInt(fid), deadline: BigInt(deadline) }
  const requestSignature = await sampleAccount.signTypedData({
    ...GASLESS_SIGNED_KEY_REQUEST_EIP_712_TYPES,
    primaryType: 'SignedKeyRequest',
    message: { ...request, key: hexOf(key) },
  })
  const metadata = encodeGaslessSignedKeyRequestMetadata({
    ...request,
    requestSigner: sampleAccount.address,
    signature: bytesOf(requestSignature),
  })._unsafeUnwrap()
  const grant = { keyType: 1, scopes, ttl: 86_400, nonce: 1 }
  const custodySignature = await sampleAccount.signTypedData({
    ...GASLESS_KEY_ADD_EIP_712_TYPES,
    primaryType: 'KeyAdd',
    message: { ...grant, fid: BigInt(fid), key: hexOf(key), deadline: BigInt(deadline) },
  })
  return {
    ...KeyAddBody.create(),
    ...grant,
    key,
    deadline,
    metadata,
    metadataType: 1,
    custodySignature: bytesOf(custodySignature),
  }
}

/** Builds a KEY_REMOVE body of the sample account. `deadline` is in Farcaster seconds. */
export async function keyRemoval(fid: number, key: Buffer, deadline: number): Promise<KeyRemoveBody> {
  const signature = await sampleAccount.signTypedData({
    ...GASLESS_KEY_REMOVE_EIP_712_TYPES,
    primaryType: 'KeyRemove',
    message: { fid: BigInt(fid), key: hexOf(key), nonce: 2, deadline: BigInt(deadline) },
  })
  return {
    ...KeyRemoveBody.create(),
    key,
    deadline,
    nonce: 2,
    signatureType: 1,
    signature: bytesOf(signature),
  }
}

function bytesOf(hex: string): Buffer {
  return Buffer.from(hex.slice(2), 'hex')
}
