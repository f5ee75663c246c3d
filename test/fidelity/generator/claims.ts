import base58 from 'bs58'
import { encodeAbiParameters } from 'viem'
import { hex } from '../judge/message.js'
import { keyAddDigest, keyRemoveDigest, keyRequestDigest, verificationDigest } from '../judge/typed-data.js'
import type { Ed25519Key, EthAccount } from './accounts.js'
import type { User } from './cell.js'

/** Claims inside of messages, signed for real. */

const signed = new Map<string, Buffer>()

/** The body of a verification of an account. Claims are signed once: they do not hold a time. */
export function verificationBody(user: User, wallet: EthAccount, network: number) {
  const blockHash = Buffer.alloc(32, user.fid % 251)
  const id = `${user.fid}/${hex(wallet.address)}/${network}`
  let claimSignature = signed.get(id)
  if (claimSignature === undefined) {
    const claim = { fid: BigInt(user.fid), address: wallet.address, blockHash, network }
    claimSignature = wallet.sign(verificationDigest(claim))
    if (signed.size < 20_000) signed.set(id, claimSignature)
  }
  return { address: wallet.address, claimSignature, blockHash }
}

/** Creates the body of a verification of a Solana address, whose key signs the claim. */
export function solanaVerificationBody(user: User, key: Ed25519Key, network: number) {
  const blockHash = Buffer.alloc(32, 7)
  const text =
    `fid: ${user.fid} address: ${base58.encode(key.publicKey)} network: ${network} ` +
    `blockHash: ${base58.encode(blockHash)} protocol: 1`
  return { address: key.publicKey, claimSignature: key.sign(Buffer.from(text)), blockHash, protocol: 1 }
}

/** Farcaster and Unix seconds alike: far in the future. */
const FAR_DEADLINE = 4_000_000_000

export interface KeyRequestOptions {
  readonly deadline?: bigint
  readonly signedBy?: EthAccount
}

/** Metadata of type 1: the app asks for a key. */
export function keyMetadata(app: User, key: Uint8Array, options: KeyRequestOptions = {}): Buffer {
  const { deadline = BigInt(FAR_DEADLINE), signedBy = app.custody } = options
  const signature = signedBy.sign(keyRequestDigest({ requestFid: BigInt(app.fid), key, deadline }))
  const request = {
    requestFid: BigInt(app.fid),
    requestSigner: `0x${hex(signedBy.address)}` as const,
    signature: `0x${hex(signature)}` as const,
    deadline,
  }
  const components = [
    { name: 'requestFid', type: 'uint256' },
    { name: 'requestSigner', type: 'address' },
    { name: 'signature', type: 'bytes' },
    { name: 'deadline', type: 'uint256' },
  ] as const
  const encoded = encodeAbiParameters([{ type: 'tuple', components }], [request])
  return Buffer.from(encoded.slice(2), 'hex')
}

export interface KeyGrant {
  readonly scopes: number[]
  readonly ttl: number
  readonly nonce: number
  readonly deadline?: number
}

/** The body of a KEY_ADD that the user's custody address has signed. */
export function keyAddBody(user: User, app: User, key: Uint8Array, grant: KeyGrant) {
  const { scopes, ttl, nonce, deadline = FAR_DEADLINE } = grant
  const claim = { fid: BigInt(user.fid), key, keyType: 1, scopes, ttl, nonce, deadline }
  return {
    key,
    keyType: 1,
    custodySignature: user.custody.sign(keyAddDigest(claim)),
    deadline,
    nonce,
    metadata: keyMetadata(app, key),
    metadataType: 1,
    scopes,
    ttl,
  }
}

/** The body of a KEY_REMOVE that the user's custody address has signed. */
export function keyRemoveBody(user: User, key: Uint8Array, nonce: number, deadline = FAR_DEADLINE) {
  const signature = user.custody.sign(keyRemoveDigest({ fid: BigInt(user.fid), key, nonce, deadline }))
  return { key, signature, signatureType: 1, deadline, nonce }
}
