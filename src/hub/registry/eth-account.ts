import { createHash, randomBytes } from 'node:crypto'
import type { PrivateKeyAccount } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { hexOf } from '../../protocol/bytes.js'

/** An Ethereum account whose private key is at hand: a custody address, an app, a registry. */
export interface EthAccount {
  /** 20 bytes. */
  readonly address: Buffer
  /** Signs typed data (EIP-712). */
  readonly signer: PrivateKeyAccount
}

/** The account of a private key of 32 bytes. Takes a fifth of a millisecond. */
export function ethAccount(privateKey: Buffer): EthAccount {
  const signer = privateKeyToAccount(hexOf(privateKey))
  return { address: Buffer.from(signer.address.slice(2), 'hex'), signer }
}

/** A private key that nobody else has. */
export function newPrivateKey(): Buffer {
  // Every 32 bytes but one in 2^128 are a private key of secp256k1, and of Ed25519 all are.
  return randomBytes(32)
}

/**
 * Accounts of a development network whose keys anybody can make from their name, like those of other
 * development chains. Nothing that they sign is worth anything anywhere else.
 */
export function localAccount(name: 'fname registry' | 'app'): EthAccount {
  return ethAccount(createHash('sha256').update(`plaza local registry: ${name}`).digest())
}

/** A signature in viem's hex form as bytes: 65 of them. */
export function signatureBytes(signature: `0x${string}`): Buffer {
  return Buffer.from(signature.slice(2), 'hex')
}
