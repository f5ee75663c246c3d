import { secp256k1 } from '@noble/curves/secp256k1'
import { keccak_256 } from '@noble/hashes/sha3'
import { decodeAbiParameters, hashTypedData } from 'viem'
import { hex } from './message.js'

/** Digests of the claims that accounts sign, and the recovery of who signed them. */

/** The digest of a verification claim of an account: its domain has no chain. */
export function verificationDigest(claim: {
  fid: bigint
  address: Uint8Array
  blockHash: Uint8Array
  network: number
}): Uint8Array {
  return digest({
    domain: {
      name: 'Farcaster Verify Ethereum Address',
      version: '2.0.0',
      salt: '0xf2d857f4a3edcb9b78b4d503bfe733db1e3f6cdc2b7971ee739626c97e86a558',
    },
    types: {
      EIP712Domain: [
        { name: 'name', type: 'string' },
        { name: 'version', type: 'string' },
        { name: 'salt', type: 'bytes32' },
      ],
      VerificationClaim: [
        { name: 'fid', type: 'uint256' },
        { name: 'address', type: 'address' },
        { name: 'blockHash', type: 'bytes32' },
        { name: 'network', type: 'uint8' },
      ],
    },
    primaryType: 'VerificationClaim',
    message: {
      fid: claim.fid,
      address: `0x${hex(claim.address)}`,
      blockHash: `0x${hex(claim.blockHash)}`,
      network: claim.network,
    },
  })
}

const gaslessDomain = { name: 'Farcaster KeyAdd', version: '1', chainId: 1 }

export interface KeyAddClaim {
  readonly fid: bigint
  readonly key: Uint8Array
  readonly keyType: number
  readonly scopes: readonly number[]
  readonly ttl: number
  readonly nonce: number
  readonly deadline: number
}

/** The digest that a custody address signs to add a key. */
export function keyAddDigest(claim: KeyAddClaim): Uint8Array {
  return digest({
    domain: gaslessDomain,
    types: {
      KeyAdd: [
        { name: 'fid', type: 'uint256' },
        { name: 'key', type: 'bytes' },
        { name: 'keyType', type: 'uint32' },
        { name: 'scopes', type: 'uint32[]' },
        { name: 'ttl', type: 'uint32' },
        { name: 'nonce', type: 'uint32' },
        { name: 'deadline', type: 'uint256' },
      ],
    },
    primaryType: 'KeyAdd',
    message: { ...claim, key: `0x${hex(claim.key)}`, deadline: BigInt(claim.deadline) },
  })
}

/** The digest that a custody address signs to remove a key. */
export function keyRemoveDigest(claim: Pick<KeyAddClaim, 'fid' | 'key' | 'nonce' | 'deadline'>): Uint8Array {
  return digest({
    domain: gaslessDomain,
    types: {
      KeyRemove: [
        { name: 'fid', type: 'uint256' },
        { name: 'key', type: 'bytes' },
        { name: 'nonce', type: 'uint32' },
        { name: 'deadline', type: 'uint256' },
      ],
    },
    primaryType: 'KeyRemove',
    message: { ...claim, key: `0x${hex(claim.key)}`, deadline: BigInt(claim.deadline) },
  })
}

/** The digest that an app's custody address signs to ask for a gasless key: in the same domain. */
export function keyRequestDigest(request: {
  requestFid: bigint
  key: Uint8Array
  deadline: bigint
}): Uint8Array {
  return digest({
    domain: gaslessDomain,
    types: {
      SignedKeyRequest: [
        { name: 'requestFid', type: 'uint256' },
        { name: 'key', type: 'bytes' },
        { name: 'deadline', type: 'uint256' },
      ],
    },
    primaryType: 'SignedKeyRequest',
    message: { ...request, key: `0x${hex(request.key)}` },
  })
}

const metadataType = [
  {
    type: 'tuple',
    components: [
      { name: 'requestFid', type: 'uint256' },
      { name: 'requestSigner', type: 'address' },
      { name: 'signature', type: 'bytes' },
      { name: 'deadline', type: 'uint256' },
    ],
  },
] as const

/** The content of key metadata of type 1; null when it does not decode. */
export function readKeyMetadata(
  bytes: Uint8Array,
): { requestFid: bigint; requestSigner: Uint8Array; signature: Uint8Array; deadline: bigint } | null {
  try {
    const [request] = decodeAbiParameters(metadataType, bytes)
    return {
      ...request,
      requestSigner: Buffer.from(request.requestSigner.slice(2), 'hex'),
      signature: Buffer.from(request.signature.slice(2), 'hex'),
    }
  } catch {
    return null
  }
}

const recovered = new Map<string, Uint8Array | null>()
const MAX_RECOVERED = 50_000

/** Remembers who has just made a signature: to recover the account takes 2 ms. */
export function rememberAccount(messageDigest: Uint8Array, signature: Uint8Array, address: Uint8Array): void {
  if (recovered.size >= MAX_RECOVERED) recovered.clear()
  recovered.set(hex(messageDigest) + hex(signature), address)
}

/**
 * The address (20 bytes) that signed a digest; null for a malformed signature. The last byte is even for 0
 * and 27 and odd for every other value.
 */
export function recoverAddress(messageDigest: Uint8Array, signature: Uint8Array): Uint8Array | null {
  if (signature.length !== 65) return null
  const id = hex(messageDigest) + hex(signature)
  let address = recovered.get(id)
  if (address === undefined) {
    address = recover(messageDigest, signature)
    if (recovered.size < MAX_RECOVERED) recovered.set(id, address)
  }
  return address
}

function recover(messageDigest: Uint8Array, signature: Uint8Array): Uint8Array | null {
  const last = signature[64]!
  try {
    const parsed = secp256k1.Signature.fromCompact(signature.subarray(0, 64))
    const point = parsed.addRecoveryBit(last === 0 || last === 27 ? 0 : 1).recoverPublicKey(messageDigest)
    return keccak_256(point.toRawBytes(false).subarray(1)).subarray(12)
  } catch {
    return null
  }
}

function digest(typedData: object): Uint8Array {
  const text = hashTypedData(typedData as Parameters<typeof hashTypedData>[0])
  return Buffer.from(text.slice(2), 'hex')
}
